#include "base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace sotto::base {

namespace {

constexpr std::uintptr_t large_page = std::uintptr_t{2} << 20;
constexpr int join = 25;  // MADV_COLLAPSE, Linux 6.1; older headers do not name it

// Advises on the large pages that lie wholly within the range.
void advise(const void* data, std::size_t bytes, int advice) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + large_page - 1) / large_page * large_page;
  const std::uintptr_t end = (begin + bytes) / large_page * large_page;
  if (first < end) static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, advice));
}

}  // namespace

void prefer_large_pages(void* data, std::size_t bytes) { advise(data, bytes, MADV_HUGEPAGE); }

void join_pages(const void* data, std::size_t bytes) { advise(data, bytes, join); }

}  // namespace sotto::base
