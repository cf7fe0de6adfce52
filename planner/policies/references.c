#include "planner/policies/references.h"

#include <string.h>

/* Authors, titles, pages and DOIs were held against what the publishers, the authors' institutes or the papers state,
 * in November 2026: usenix.org (BGL), Illinois Experts (Data Tiering), OpenAlex and HKUST (DUCATI), Crossref (PaGraph),
 * OpenAlex (AliGraph), the ACM's page (UGache), arXiv's lists of authors (GNNLab by its DOI, Quiver, DGL). */
const struct reference references[] =
    {{"Legion", "@inproceedings{legion,\n"
                "  author = {Jie Sun and Li Su and Zuocheng Shi and Wenting Shen and Zeke Wang and Lei Wang and Jie "
                "Zhang and\n"
                "            Yong Li and Wenyuan Yu and Jingren Zhou and Fei Wu},\n"
                "  title = {{Legion}: Automatically Pushing the Envelope of Multi-{GPU} System for Billion-Scale {GNN} "
                "Training},\n"
                "  booktitle = {2023 USENIX Annual Technical Conference (USENIX ATC 23)},\n"
                "  year = {2023}\n}\n"},
     {"DSP", "@inproceedings{dsp,\n"
             "  author = {Zhenkun Cai and Qihui Zhou and Xiao Yan and Da Zheng and Xiang Song and Chenguang Zheng and\n"
             "            James Cheng and George Karypis},\n"
             "  title = {{DSP}: Efficient {GNN} Training with Multiple {GPU}s},\n"
             "  booktitle = {Proceedings of the 28th ACM SIGPLAN Annual Symposium on Principles and Practice of "
             "Parallel\n"
             "               Programming (PPoPP '23)},\n"
             "  year = {2023}\n}\n"},
     {"GNNLab", "@inproceedings{gnnlab,\n"
                "  author = {Jianbang Yang and Dahai Tang and Xiaoniu Song and Lei Wang and Qiang Yin and Rong Chen "
                "and\n"
                "            Wenyuan Yu and Jingren Zhou},\n"
                "  title = {{GNNLab}: A Factored System for Sample-Based {GNN} Training over {GPU}s},\n"
                "  booktitle = {Proceedings of the Seventeenth European Conference on Computer Systems (EuroSys "
                "'22)},\n"
                "  doi = {10.1145/3492321.3519557},\n"
                "  year = {2022}\n}\n"},
     {"torch-quiver", "@article{quiver,\n"
                      "  author = {Zeyuan Tan and Xiulong Yuan and Congjie He and Man-Kit Sit and Guo Li and Xiaoze "
                      "Liu and\n"
                      "            Baole Ai and Kai Zeng and Peter Pietzuch and Luo Mai},\n"
                      "  title = {{Quiver}: Supporting {GPU}s for Low-Latency, High-Throughput {GNN} Serving with "
                      "Workload\n"
                      "           Awareness},\n"
                      "  journal = {arXiv preprint arXiv:2305.10863},\n"
                      "  year = {2023}\n}\n"},
     {"Data Tiering", "@inproceedings{datatiering,\n"
                      "  author = {Seung Won Min and Kun Wu and Mert Hidayeto{\\u{g}}lu and Jinjun Xiong and Xiang "
                      "Song and\n"
                      "            Wen-mei Hwu},\n"
                      "  title = {Graph Neural Network Training and Data Tiering},\n"
                      "  booktitle = {Proceedings of the 28th ACM SIGKDD Conference on Knowledge Discovery and Data "
                      "Mining (KDD '22)},\n"
                      "  pages = {3555--3565},\n"
                      "  year = {2022}\n}\n"},
     {"PaGraph", "@inproceedings{pagraph,\n"
                 "  author = {Zhiqi Lin and Cheng Li and Youshan Miao and Yunxin Liu and Yinlong Xu},\n"
                 "  title = {{PaGraph}: Scaling {GNN} Training on Large Graphs via Computation-aware Caching},\n"
                 "  booktitle = {Proceedings of the 11th ACM Symposium on Cloud Computing (SoCC '20)},\n"
                 "  pages = {401--415},\n"
                 "  doi = {10.1145/3419111.3421281},\n"
                 "  year = {2020}\n}\n"},
     {"DUCATI", "@article{ducati,\n"
                "  author = {Xin Zhang and Yanyan Shen and Yingxia Shao and Lei Chen},\n"
                "  title = {{DUCATI}: A Dual-Cache Training System for Graph Neural Networks on Giant Graphs with the "
                "{GPU}},\n"
                "  journal = {Proceedings of the ACM on Management of Data (SIGMOD)},\n"
                "  volume = {1},\n  number = {2},\n"
                "  pages = {166:1--166:24},\n"
                "  doi = {10.1145/3589311},\n"
                "  year = {2023}\n}\n"},
     {"BGL", "@inproceedings{bgl,\n"
             "  author = {Tianfeng Liu and Yangrui Chen and Dan Li and Chuan Wu and Yibo Zhu and Jun He and Yanghua "
             "Peng and\n"
             "            Hongzheng Chen and Hongzhi Chen and Chuanxiong Guo},\n"
             "  title = {{BGL}: {GPU}-Efficient {GNN} Training by Optimizing Graph Data {I/O} and Preprocessing},\n"
             "  booktitle = {20th USENIX Symposium on Networked Systems Design and Implementation (NSDI 23)},\n"
             "  pages = {103--118},\n"
             "  year = {2023}\n}\n"},
     {"AliGraph", "@article{aligraph,\n"
                  "  author = {Rong Zhu and Kun Zhao and Hongxia Yang and Wei Lin and Chang Zhou and Baole Ai and Yong "
                  "Li and\n"
                  "            Jingren Zhou},\n"
                  "  title = {{AliGraph}: A Comprehensive Graph Neural Network Platform},\n"
                  "  journal = {Proceedings of the VLDB Endowment},\n"
                  "  volume = {12},\n  number = {12},\n"
                  "  pages = {2094--2105},\n"
                  "  doi = {10.14778/3352063.3352127},\n"
                  "  year = {2019}\n}\n"},
     {"HyScale-GNN", "@inproceedings{hyscale,\n"
                     "  author = {Yi-Chien Lin and Viktor Prasanna},\n"
                     "  title = {{HyScale-GNN}: A Scalable Hybrid {GNN} Training System on Single-Node Heterogeneous "
                     "Architecture},\n"
                     "  booktitle = {2023 IEEE International Parallel and Distributed Processing Symposium (IPDPS)},\n"
                     "  year = {2023}\n}\n"},
     {"DGL", "@article{dgl,\n"
             "  author = {Minjie Wang and Da Zheng and Zihao Ye and Quan Gan and Mufei Li and Xiang Song and Jinjing "
             "Zhou and\n"
             "            Chao Ma and Lingfan Yu and Yu Gai and Tianjun Xiao and Tong He and George Karypis and "
             "Jinyang Li and\n"
             "            Zheng Zhang},\n"
             "  title = {Deep Graph Library: A Graph-Centric, Highly-Performant Package for Graph Neural Networks},\n"
             "  journal = {arXiv preprint arXiv:1909.01315},\n"
             "  year = {2019}\n}\n"},
     {"UGache", "@inproceedings{ugache,\n"
                "  author = {Xiaoniu Song and Yiwen Zhang and Rong Chen and Haibo Chen},\n"
                "  title = {{UGache}: A Unified {GPU} Cache for Embedding-based Deep Learning},\n"
                "  booktitle = {Proceedings of the 29th Symposium on Operating Systems Principles (SOSP '23)},\n"
                "  doi = {10.1145/3600006.3613169},\n"
                "  year = {2023}\n}\n"},
     {0}};

bool reference_of(const struct reference *r, const struct policy *p) { return strstr(p->source, r->source) != NULL; }
