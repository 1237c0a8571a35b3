#include "data/names_io.h"

#include <algorithm>

namespace sotto::data {

void write_names(Writer& out, const IdTable& names) {
  out.number(static_cast<std::uint64_t>(names.size()));
  for (std::uint32_t n = 0; n < names.size(); ++n) out.text(names.name(n));
}

bool read_names(Reader& in, IdTable& names) {
  const auto count = in.number<std::uint64_t>();
  for (std::uint64_t n = 0; n < count && !in.spoiled(); ++n)
    if (const std::string name = in.text(); in.spoiled() || names.intern(name) != n) return false;
  return !in.spoiled();
}

bool spans(std::span<const std::uint64_t> ends, std::size_t size) {
  return !ends.empty() && ends.front() == 0 && ends.back() == size &&
         std::is_sorted(ends.begin(), ends.end());
}

}  // namespace sotto::data
