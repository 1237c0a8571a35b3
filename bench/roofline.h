// What the machine can do at most, measured on one thread, best of several: fused multiply-adds a second in
// its widest vectors, and bytes read from memory. Beside it stands what a kernel reaches.
#pragma once

namespace sotto::bench {

[[nodiscard]] double peak_gflops();
[[nodiscard]] double read_gbytes();

}  // namespace sotto::bench
