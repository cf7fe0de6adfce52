/* test_report_help.h - what tests of pages share. */
#ifndef TESTS_UNIT_TEST_REPORT_HELP_H
#define TESTS_UNIT_TEST_REPORT_HELP_H

#include "tests/unit/unit.h"
#include "reports/formats/page_script.h"

/* A page holds one script, its own, which its policy knows. */
static inline void judge_script(const char *page)
{
    const char *script = strstr(page, "<script"), *policy = strstr(page, "script-src 'sha256-");
    assert_non_null(script);
    assert_non_null(policy);
    assert_memory_equal(policy + strlen("script-src 'sha256-"), page_script_hash, strlen(page_script_hash));
    script += strlen("<script>");
    assert_memory_equal(script, page_script, strlen(page_script));
    script += strlen(page_script);
    assert_memory_equal(script, "</script>", 9);
    assert_null(strstr(script, "<script"));
}

#endif
