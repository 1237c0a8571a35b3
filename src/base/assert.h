// Assertions for bugs. They stay on in release: a wrong sum is worse than a stopped program.
// Expected failures (bad input, a lost peer) travel as Result<T> instead.
#pragma once

#include "base/layers.h"

namespace sotto::base {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const char* law);

}  // namespace sotto::base

#define SOTTO_ASSERT(condition, law)                                          \
  do {                                                                        \
    if (!(condition)) [[unlikely]]                                            \
      ::sotto::base::assertion_failed(#condition, __FILE__, __LINE__, (law)); \
  } while (false)
