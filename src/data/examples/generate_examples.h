// Made-up examples in the form of the real ones, from a seed, for tests and for trying things without data.
//
// Pictures: the ten digits of a seven-segment display, drawn by a shaky hand: slanted, stretched, of
// different strokes, moved about, with noise. A model that looks at small patches wherever they are learns
// them better than one with a weight a point. Attributes: people with pictures of uneven number, described as
// those of CelebA are: each person has traits that most of their pictures share, a smile shows in some
// attributes and not in others, and some people take blurred pictures more often than others.
//
// Laws: the same options give the same bytes everywhere; each digit, and each person, comes from a stream of
// its own, so it does not change when more are made.
#pragma once

#include <cstdint>

#include "data/examples/celeba.h"
#include "data/examples/examples.h"

namespace sotto::data {

struct PictureOptions {
  std::uint32_t training = 2000;
  std::uint32_t test = 400;
  std::uint32_t side = 28;  // points, at least 8
  double shift = 0.14;      // of the side: how far a digit may be moved, each way
  double noise = 0.1;       // standard deviation of each point, where white is 1
  std::uint64_t seed = 1;
};
[[nodiscard]] Result<Examples> generate_pictures(const PictureOptions& options);

struct PortraitOptions {
  std::uint32_t people = 200;
  double mean_pictures = 20.0;  // a person; each has at least one and at most thrice so many
  std::uint32_t attributes = 39;
  std::uint64_t seed = 1;
};
// Label: whether the person smiles. Mark: whether the picture is sharp; the first attribute says the
// opposite. All for training: a deal by owner takes the tests out (data/examples/deal.h).
[[nodiscard]] Result<OwnedExamples> generate_portraits(const PortraitOptions& options);

}  // namespace sotto::data
