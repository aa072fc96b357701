#include "stages/report/page_template.h"

namespace uzushio {

std::string_view PageTemplate() {
  return R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; connect-src 'none'"><title>uzushio report</title></head>
<body><script type="application/json" id="data">@REPORT_DATA@</script></body></html>
)";
}

}  // namespace uzushio
