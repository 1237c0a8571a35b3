#include "lab/report/word_cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/terminal/console.h"
#include "lab/report/frame.h"
#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

constexpr double largest_letters = 34.0;
constexpr double smallest_letters = 9.0;
constexpr double usual_height = 430.0;     // the largest letters shrink rather than pass it
constexpr double cloud_fill = 0.66;        // of a field that words can take
constexpr std::size_t cloud_columns = 72;  // of a word; hovering says the whole
constexpr std::size_t line_columns = 24;   // more of them take two lines
constexpr double cloud_line = 1.08;        // height of a line, in letter sizes
constexpr double cloud_gap = 0.2;          // between words above each other: more than between a word's lines
constexpr double cloud_side = 0.22;        // left and right of a word, in letter sizes
constexpr double spot_step = 4.0;          // between places that are tried
constexpr double flatness = 3.0;           // how much further a cloud reaches sideways than up, squared

// Widths of the letters from U+0020 to U+007E, in hundredths of the size: about those of Helvetica.
constexpr std::array<int, 95> letter_widths{
    28, 28, 36, 56, 56, 89, 67, 19, 33,  33, 39, 58, 28, 33, 28, 28, 56, 56, 56, 56, 56, 56, 56, 56,
    56, 56, 28, 28, 58, 58, 58, 56, 102, 67, 67, 72, 72, 67, 61, 78, 72, 28, 50, 67, 56, 83, 72, 78,
    67, 78, 72, 67, 61, 72, 67, 94, 67,  67, 61, 28, 28, 28, 47, 56, 33, 56, 56, 50, 56, 56, 28, 56,
    56, 22, 22, 50, 22, 83, 56, 56, 56,  56, 33, 50, 28, 56, 50, 72, 50, 50, 50, 33, 26, 33, 58};
constexpr double other_letter = 0.62;
constexpr double face_spare = 1.07;  // faces differ

// A place that a word's middle may take, relative to the field's.
struct CloudSpot {
  double x, y;
  [[nodiscard]] double distance() const { return x * x + flatness * y * y; }
};

// All of a field, the nearest to its middle first.
std::vector<CloudSpot> spots_of(double width, double height) {
  std::vector<CloudSpot> spots;
  const int across = static_cast<int>(width / 2.0 / spot_step),
            up = static_cast<int>(height / 2.0 / spot_step);
  for (int y = -up; y <= up; ++y)
    for (int x = -across; x <= across; ++x) spots.push_back({x * spot_step, y * spot_step});
  std::stable_sort(spots.begin(), spots.end(),
                   [](const CloudSpot& a, const CloudSpot& b) { return a.distance() < b.distance(); });
  return spots;
}

// What of a line fits into the width in the smallest letters.
std::string fitting(std::string line, double width) {
  for (std::size_t columns = display_width(line);
       columns > 1 && (letters_width(line) + 2.0 * cloud_side) * smallest_letters > width; --columns)
    line = shortened(line, columns - 1);
  return line;
}

// Cut at the space that is nearest to the middle; one line where it is short or has none.
std::vector<std::string> lines_of(const std::string& text, double width) {
  std::size_t cut = std::string::npos;
  const auto away = [&text](std::size_t at) {
    return at > text.size() / 2 ? at - text.size() / 2 : text.size() / 2 - at;
  };
  if (display_width(text) > line_columns)
    for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 1))
      if (cut == std::string::npos || away(at) < away(cut)) cut = at;
  if (cut == std::string::npos) return {fitting(text, width)};
  return {fitting(text.substr(0, cut), width), fitting(text.substr(cut + 1), width)};
}

// The sizes that words get when the heaviest has letters of `largest`; their boxes grow with them.
double resize_words(std::vector<PlacedWord>& words, const std::vector<CloudWord>& weights, double largest) {
  double area = 0.0;
  for (PlacedWord& word : words) {
    const double share = weights[word.word].weight / weights[words.front().word].weight;
    word.size = std::max(smallest_letters, largest * share);
    double widest = 0.0;
    for (const std::string& line : word.lines) widest = std::max(widest, letters_width(line));
    word.width = (widest + 2.0 * cloud_side) * word.size;
    word.height = (cloud_line * static_cast<double>(word.lines.size()) + cloud_gap) * word.size;
    area += word.width * word.height;
  }
  return area;
}

// The words with their sizes, the heaviest first; no places yet.
std::vector<PlacedWord> sized_words(const std::vector<CloudWord>& words, double width) {
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < words.size(); ++n)
    if (std::isfinite(words[n].weight) && words[n].weight > 0.0) order.push_back(n);
  std::stable_sort(order.begin(), order.end(),
                   [&words](std::size_t a, std::size_t b) { return words[a].weight > words[b].weight; });
  std::vector<PlacedWord> sized;
  for (const std::size_t n : order) {
    sized.emplace_back();
    sized.back().word = n;
    sized.back().lines = lines_of(shortened(words[n].text, cloud_columns), width);
  }
  const auto too_wide = [width](const PlacedWord& word) { return word.width > width; };
  double largest = largest_letters;
  while (resize_words(sized, words, largest) > cloud_fill * width * usual_height ||
         std::any_of(sized.begin(), sized.end(), too_wide)) {
    if (largest <= smallest_letters) break;
    largest -= 0.5;
  }
  return sized;
}

// Whether all words found room in a field of this height.
bool place_words(std::vector<PlacedWord>& words, double width, double height) {
  const std::vector<CloudSpot> spots = spots_of(width, height);
  for (std::size_t n = 0; n < words.size(); ++n) {
    PlacedWord& word = words[n];
    const auto fits = [&](const CloudSpot& spot) {
      word.left = (width - word.width) / 2.0 + spot.x;
      word.top = (height - word.height) / 2.0 + spot.y;
      if (word.left < 0.0 || word.left + word.width > width || word.top < 0.0 ||
          word.top + word.height > height)
        return false;
      return std::none_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n),
                          [&word](const PlacedWord& other) { return word.meets(other); });
    };
    if (std::find_if(spots.begin(), spots.end(), fits) == spots.end()) return false;
  }
  return true;
}

std::string word_element(const WordCloud& cloud, const PlacedWord& placed, double left, double top) {
  const CloudWord& word = cloud.words[placed.word];
  std::string says = fmt::format("{}\n{}: {}", word.text, cloud.weight_label, short_number(word.weight));
  if (!word.note.empty()) says += "\n" + word.note;
  const std::string middle = coordinate(left + placed.left + placed.width / 2.0);
  std::string text =
      fmt::format(R"(<text class="mark word" font-size="{}" text-anchor="middle"><title>{}</title>)",
                  coordinate(placed.size), escaped(says));
  for (std::size_t n = 0; n < placed.lines.size(); ++n)
    // The length is told, so that a wider face does not push words into each other.
    text +=
        fmt::format(R"(<tspan x="{}" y="{}" textLength="{}">{}</tspan>)", middle,
                    coordinate(top + placed.top +
                               (0.85 + cloud_gap / 2.0 + cloud_line * static_cast<double>(n)) * placed.size),
                    coordinate(letters_width(placed.lines[n]) * placed.size), escaped(placed.lines[n]));
  return text + "</text>";
}

}  // namespace

double letters_width(std::string_view text) {
  double width = 0.0;
  std::string others;
  for (const char letter : text) {
    if (letter >= ' ' && letter <= '~')
      width += letter_widths[static_cast<std::size_t>(letter - ' ')] / 100.0;
    else
      others += letter;
  }
  return face_spare * (width + other_letter * static_cast<double>(display_width(others)));
}

CloudLayout lay_out_cloud(const std::vector<CloudWord>& words, double width) {
  CloudLayout layout{width, 0.0, sized_words(words, width)};
  if (layout.words.empty()) return layout;
  double area = 0.0;
  for (const PlacedWord& word : layout.words) area += word.width * word.height;
  double height = area / cloud_fill / width + layout.words.front().height;
  while (!place_words(layout.words, width, height)) height *= 1.2;
  const auto by_top = [](const PlacedWord& a, const PlacedWord& b) { return a.top < b.top; };
  const double top = std::min_element(layout.words.begin(), layout.words.end(), by_top)->top;
  for (PlacedWord& word : layout.words) {
    word.top -= top;
    layout.height = std::max(layout.height, word.top + word.height);
  }
  return layout;
}

std::string svg_of(const WordCloud& cloud, Dress dress) {
  constexpr double side = 14.0;
  std::vector<LegendKey> keys;
  for (std::size_t n = 0; n < cloud.keys.size(); ++n)
    keys.push_back({cloud.keys[n], look_of(ChartPalette::distinct, n, cloud.keys.size()), LegendSign::block,
                    std::to_string(n)});
  const CloudLayout layout = lay_out_cloud(cloud.words, chart_width - 2.0 * side);
  // The frame leaves room for an x axis below; a cloud has none and takes most of it.
  const ChartFrame frame(cloud.head, dress, std::move(keys), side, std::max(0.0, layout.height - 40.0));
  std::string inside;
  for (std::size_t key = 0; key < std::max<std::size_t>(1, cloud.keys.size()); ++key) {
    std::string texts;
    std::size_t count = 0;
    for (const PlacedWord& placed : layout.words) {
      if (cloud.words[placed.word].key != key) continue;
      texts += word_element(cloud, placed, side, frame.plot().top);
      ++count;
    }
    inside += fmt::format("<g class=\"series {}\" data-series=\"{}\" data-name=\"{}\" data-n=\"{}\">{}</g>\n",
                          look_of(ChartPalette::distinct, key, cloud.keys.size()).colour, key,
                          key < cloud.keys.size() ? escaped(cloud.keys[key]) : "", count, texts);
  }
  return frame.svg("cloud", "", inside);
}

}  // namespace sotto::lab
