#include "planner/typed/typed_study.h"

struct typed_request typed_request_of(const struct study_args *study, const struct workload_args *workload)
{
    return (struct typed_request){.reserve = study->reserve,
                                  .deal = study->deal,
                                  .partition = study->partition,
                                  .workload = workload,
                                  .bound = study->bound,
                                  .error_price = -1,
                                  .epochs = study->presample_epochs,
                                  .simulate_epochs = study->simulate_epochs,
                                  .simulate_seed = study->simulate_seed};
}
