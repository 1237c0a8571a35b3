#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace sotto::base {

void assertion_failed(const char* condition, const char* file, int line, const char* law) {
  std::fprintf(stderr, "sotto: bug: %s (%s) at %s:%d\n", law, condition, file, line);
  std::abort();
}

}  // namespace sotto::base
