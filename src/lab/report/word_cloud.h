// Where the words of a cloud stand: the heaviest in the middle, each further one as near to it as there is
// room.
//
// Laws: the same words give the same places on every machine; no two boxes meet and all lie inside; a heavier
// word is never smaller, and of equal weights both have one size; every word with a finite weight above zero
// has a place. Letters are as large as the weight says, down to the smallest size that can be read. Long
// texts take two lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/chart.h"

namespace sotto::lab {

struct PlacedWord {
  std::size_t word = 0;            // its number in the cloud
  std::vector<std::string> lines;  // one or two; shortened where the text is very long
  double size = 0.0;               // of the letters
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;

  [[nodiscard]] bool meets(const PlacedWord& other) const {
    return left < other.left + other.width && other.left < left + width && top < other.top + other.height &&
           other.top < top + height;
  }
};

struct CloudLayout {
  double width = 0.0, height = 0.0;
  std::vector<PlacedWord> words;  // the heaviest first
};

// In a field of this width, as high as it needs.
[[nodiscard]] CloudLayout lay_out_cloud(const std::vector<CloudWord>& words, double width);

// How wide these letters are at size 1 in a common sans-serif face. A cloud is too dense for text_width(),
// which takes all letters for one.
[[nodiscard]] double letters_width(std::string_view text);

}  // namespace sotto::lab
