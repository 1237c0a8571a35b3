// Asks the system to hold memory in large pages: random access to big arrays then misses the page tables
// less. Only a wish: where the system does not know it, nothing happens.
#pragma once

#include <cstddef>

#include "base/layers.h"

namespace sotto::base {

// For memory that is not written yet.
void prefer_large_pages(void* data, std::size_t bytes);
// For memory in use: its pages are joined now.
void join_pages(const void* data, std::size_t bytes);

}  // namespace sotto::base
