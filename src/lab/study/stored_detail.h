// The details of a cell as rows and packed arrays of a results file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/compression.h"
#include "lab/study/results.h"

namespace sotto::lab {

[[nodiscard]] Status store_detail(const Database& database, const std::string& key, const CellDetail& detail);
[[nodiscard]] Result<CellDetail> load_detail(const Database& database, const std::string& key);

// An array as zstd: values of users and counts of items repeat a lot.
template <Plain T>
[[nodiscard]] Bytes packed(std::span<const T> values) {
  Writer out;
  out.array(values);
  return compress(out.view());
}

template <Plain T>
[[nodiscard]] Result<std::vector<T>> unpacked(std::string_view bytes, const std::string& path) {
  SOTTO_TRY(const Bytes plain, decompress(std::as_bytes(std::span(bytes))));
  Reader in(plain);
  std::vector<T> values = in.array<T>();
  if (!in.finished()) return fail(Code::bad_input, path + ": an array of the results file is damaged");
  return values;
}

}  // namespace sotto::lab
