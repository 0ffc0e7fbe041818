/* The page that 'neyman report' fills: web/page.html, part of the program. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char report_page[];
extern const size_t report_page_bytes;

#endif
