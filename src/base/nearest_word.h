// NearestWord: of the words that are known, the one to offer somebody who typed another. Few letters differ,
// or it begins with what was typed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/layers.h"

namespace sotto::base {

// How many letters must change to make one word of the other.
[[nodiscard]] inline std::size_t letters_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

class NearestWord {
 public:
  explicit NearestWord(std::string_view typed) : typed_(typed), least_(typed.size() / 3 + 2) {}

  void look_at(std::string_view known) {
    const std::size_t letters = known.starts_with(typed_) ? 1 : letters_between(typed_, known);
    if (letters >= least_) return;
    least_ = letters;
    best_ = known;
  }
  // Empty: none is near.
  [[nodiscard]] const std::string& word() const { return best_; }

 private:
  std::string_view typed_;
  std::size_t least_;
  std::string best_;
};

}  // namespace sotto::base
