// error: formattable
#include <fmt/format.h>

#include "base/private.h"

auto print(const sotto::base::Private<float>& taste) { return fmt::format("{}", taste); }
