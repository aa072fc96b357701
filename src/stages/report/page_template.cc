#include "stages/report/page_template.h"

#include <cstdint>

// The bytes of page.html, which CMake makes of report/ and names.
asm(R"(
    .section .rodata
    .globl uzushio_report_page
    .hidden uzushio_report_page
    .globl uzushio_report_page_size
    .hidden uzushio_report_page_size
uzushio_report_page:
    .incbin ")" UZUSHIO_REPORT_PAGE R"("
1:
    .balign 8
uzushio_report_page_size:
    .quad 1b - uzushio_report_page
    .previous
)");
extern "C" const char uzushio_report_page[];
extern "C" const uint64_t uzushio_report_page_size;

namespace uzushio {

std::string_view PageTemplate() { return {uzushio_report_page, uzushio_report_page_size}; }

}  // namespace uzushio
