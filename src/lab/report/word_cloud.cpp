#include "lab/report/word_cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "lab/cli/console.h"
#include "lab/report/frame.h"
#include "lab/report/markup.h"

namespace sotto {

namespace {

constexpr double largest_letters = 34.0;
constexpr double smallest_letters = 9.0;
constexpr std::size_t cloud_columns = 48;  // of a word; hovering says the whole
constexpr double cloud_line = 1.12;        // of a box, in letter sizes
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

// The words with their sizes, the heaviest first; no places yet.
std::vector<PlacedWord> sized_words(const std::vector<CloudWord>& words, double width) {
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < words.size(); ++n)
    if (std::isfinite(words[n].weight) && words[n].weight > 0.0) order.push_back(n);
  std::stable_sort(order.begin(), order.end(),
                   [&words](std::size_t a, std::size_t b) { return words[a].weight > words[b].weight; });
  std::vector<PlacedWord> sized;
  double largest = largest_letters;
  for (const std::size_t n : order) {
    PlacedWord word;
    word.word = n;
    word.text = shortened(words[n].text, cloud_columns);
    word.size = std::sqrt(words[n].weight / words[order.front()].weight);
    word.width = letters_width(word.text) + 2.0 * cloud_side;
    largest = std::min(largest, width / (word.width * word.size));
    sized.push_back(std::move(word));
  }
  for (PlacedWord& word : sized) {
    word.size = std::max(smallest_letters, largest * word.size);
    word.width *= word.size;
    word.height = cloud_line * word.size;
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
  // The length is told, so that a wider face does not push words into each other.
  return fmt::format(
      R"(<text class="mark word" x="{}" y="{}" font-size="{}" text-anchor="middle" textLength="{}"><title>{}</title>{}</text>)",
      coordinate(left + placed.left + placed.width / 2.0), coordinate(top + placed.top + 0.87 * placed.size),
      coordinate(placed.size), coordinate(placed.width - 2.0 * cloud_side * placed.size), escaped(says),
      escaped(placed.text));
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
  double height = 1.1 * area / width + 2.0 * layout.words.front().height;
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

}  // namespace sotto
