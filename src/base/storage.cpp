#include "base/storage.h"

#include <new>

#include "base/large_pages.h"

namespace sotto::base {

Storage::Block Storage::from_heap(std::size_t bytes) {
  // Large blocks start where a huge page may: the system then has fewer pages to know of.
  constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
  const std::align_val_t alignment{bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes};
  auto* data = static_cast<std::byte*>(::operator new(bytes, alignment));
  prefer_large_pages(data, bytes);
  return {data, [alignment](std::byte* p) { ::operator delete(p, alignment); }};
}

}  // namespace sotto::base
