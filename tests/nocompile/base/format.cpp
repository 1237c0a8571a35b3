// error: formattable
#include <fmt/format.h>

#include "base/private.h"

auto print(const sotto::Private<float>& taste) { return fmt::format("{}", taste); }
