#include "data/examples/generate_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rng.h"

namespace sotto::data {
namespace {

enum ExampleRound : std::uint32_t {
  made_training_round = 0,
  made_test_round = 1,
  person_round = 2,
  portrait_round = 3,
  attribute_round = 4,
};

struct Point {
  double x = 0.0, y = 0.0;
};
using Segment = std::array<Point, 2>;

// The seven segments of a display, a to g, in a box of 1 × 2 around the middle.
constexpr std::array<Segment, 7> segments{{{{{-0.5, -1.0}, {0.5, -1.0}}},
                                           {{{0.5, -1.0}, {0.5, 0.0}}},
                                           {{{0.5, 0.0}, {0.5, 1.0}}},
                                           {{{-0.5, 1.0}, {0.5, 1.0}}},
                                           {{{-0.5, 0.0}, {-0.5, 1.0}}},
                                           {{{-0.5, -1.0}, {-0.5, 0.0}}},
                                           {{{-0.5, 0.0}, {0.5, 0.0}}}}};
// Which of them a digit lights: bit k is segment k.
constexpr std::array<std::uint8_t, 10> lit{0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};

double between(Stream& stream, double from, double to) { return from + (to - from) * stream.uniform(); }

double distance(Point p, const Segment& segment) {
  const Point along{segment[1].x - segment[0].x, segment[1].y - segment[0].y};
  const double length2 = std::max(along.x * along.x + along.y * along.y, 1e-12);
  const double at =
      std::clamp(((p.x - segment[0].x) * along.x + (p.y - segment[0].y) * along.y) / length2, 0.0, 1.0);
  const double dx = p.x - segment[0].x - at * along.x;
  const double dy = p.y - segment[0].y - at * along.y;
  return std::sqrt(dx * dx + dy * dy);
}

void draw_picture(const PictureOptions& options, std::uint8_t digit, Stream& stream, std::uint8_t* points) {
  const double side = options.side;
  const Point size{side * between(stream, 0.26, 0.40), side * between(stream, 0.24, 0.32)};
  const double slant = between(stream, -0.2, 0.35);
  const Point middle{side * (0.5 + between(stream, -options.shift, options.shift)),
                     side * (0.5 + between(stream, -options.shift, options.shift))};
  const double thick = side * between(stream, 0.02, 0.055);
  const double soft = side * 0.035;  // the width of a stroke's edge
  std::array<Segment, segments.size()> strokes{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    if ((lit[digit] >> k & 1u) == 0) continue;
    for (std::size_t end = 0; end < 2; ++end) {
      const Point corner = segments[k][end];
      const double x = corner.x + between(stream, -0.1, 0.1), y = corner.y + between(stream, -0.1, 0.1);
      strokes[count][end] = {middle.x + size.x * (x - slant * y * 0.5), middle.y + size.y * y};
    }
    ++count;
  }
  for (std::uint32_t row = 0; row < options.side; ++row) {
    for (std::uint32_t column = 0; column < options.side; ++column) {
      double nearest = side;
      for (std::size_t k = 0; k < count; ++k)
        nearest = std::min(nearest, distance({column + 0.5, row + 0.5}, strokes[k]));
      const double ink = std::clamp(1.0 - (nearest - thick) / soft, 0.0, 1.0);
      const double shown = std::clamp(ink + options.noise * stream.normal(), 0.0, 1.0);
      *points++ = static_cast<std::uint8_t>(std::floor(shown * 255.0 + 0.5));
    }
  }
}

// How an attribute behaves over all people.
struct Attribute {
  double usual = 0.0;  // how many people have it as a trait
  double smile = 0.0;  // how a smile changes it: 0 not at all, 1 decides it
};

std::vector<Attribute> attributes_of(const PortraitOptions& options) {
  std::vector<Attribute> attributes;
  for (std::uint32_t k = 0; k < options.attributes; ++k) {
    Stream stream(options.seed, Purpose::generate_examples, attribute_round, k);
    Attribute& made = attributes.emplace_back();
    made.usual = between(stream, 0.05, 0.6);
    // Every fifth attribute shows a smile (a mouth that is open), the others do not.
    made.smile = k % 5 == 1 ? between(stream, 0.25, 0.6) : 0.0;
  }
  return attributes;
}

struct Person {
  std::uint32_t pictures = 0;
  double smiles = 0.0, blurs = 0.0;
  std::vector<std::uint8_t> traits;
};

Person person_of(const PortraitOptions& options, const std::vector<Attribute>& attributes,
                 std::uint32_t who) {
  Stream stream(options.seed, Purpose::generate_examples, person_round, who);
  Person person;
  const double u = stream.uniform();
  person.pictures = 1 + static_cast<std::uint32_t>(3.0 * (options.mean_pictures - 1.0) * u * u);
  person.smiles = between(stream, 0.1, 0.9);
  const double v = stream.uniform();
  person.blurs = 0.3 * v * v * v;
  for (const Attribute& attribute : attributes)
    person.traits.push_back(stream.chance(attribute.usual) ? 1 : 0);
  return person;
}

void add_portrait(const Person& person, const std::vector<Attribute>& attributes, Stream& stream,
                  Examples& examples) {
  constexpr double mood = 0.1;  // how often a picture does not show a trait
  const bool smiles = stream.chance(person.smiles);
  const bool blurred = stream.chance(person.blurs);
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    bool shown = (person.traits[k] != 0) != stream.chance(mood);
    if (stream.chance(attributes[k].smile)) shown = smiles;
    if (k == 0) shown = blurred;
    examples.values.push_back(shown ? 255 : 0);
  }
  examples.labels.push_back(smiles ? 1 : 0);
  examples.marks.push_back(blurred ? 0 : 1);
}

}  // namespace

Result<Examples> generate_pictures(const PictureOptions& options) {
  if (options.training == 0 || options.side < 8 || options.side > 1024)
    return fail(Code::usage,
                fmt::format("{} pictures for training of {} points a side cannot be made; choose "
                            "at least one, and sides from 8 to 1024",
                            options.training, options.side));
  if (!(options.shift >= 0.0 && options.shift <= 0.5 && options.noise >= 0.0 && options.noise <= 1.0))
    return fail(Code::usage, "generated pictures take a shift from 0 to 0.5 and a noise from 0 to 1");
  Examples examples;
  examples.height = examples.width = options.side;
  examples.classes = static_cast<std::uint32_t>(lit.size());
  examples.for_training = options.training;
  const std::size_t count = std::size_t{options.training} + options.test;
  examples.values.resize(count * examples.size());
  for (std::size_t n = 0; n < count; ++n) {
    const bool testing = n >= options.training;
    Stream stream(options.seed, Purpose::generate_examples, testing ? made_test_round : made_training_round,
                  static_cast<std::uint32_t>(testing ? n - options.training : n));
    const auto digit = static_cast<std::uint8_t>(stream.below(examples.classes));
    examples.labels.push_back(digit);
    draw_picture(options, digit, stream, examples.values.data() + n * examples.size());
  }
  return examples;
}

Result<OwnedExamples> generate_portraits(const PortraitOptions& options) {
  if (options.people == 0 || options.attributes == 0 || options.attributes > 4096 ||
      !(options.mean_pictures >= 1.0 && options.mean_pictures <= 1e5))
    return fail(Code::usage,
                fmt::format("{} people with {} pictures of {} attributes cannot be made; choose at "
                            "least one of each, and at most 4096 attributes",
                            options.people, options.mean_pictures, options.attributes));
  const std::vector<Attribute> attributes = attributes_of(options);
  OwnedExamples made;
  made.people = options.people;
  made.examples.height = 1;
  made.examples.width = options.attributes;
  made.examples.classes = 2;
  for (std::uint32_t who = 0; who < options.people; ++who) {
    const Person person = person_of(options, attributes, who);
    Stream stream(options.seed, Purpose::generate_examples, portrait_round, who);
    for (std::uint32_t n = 0; n < person.pictures; ++n) {
      add_portrait(person, attributes, stream, made.examples);
      made.owners.push_back(who);
    }
  }
  made.examples.for_training = made.examples.count();
  return made;
}

}  // namespace sotto::data
