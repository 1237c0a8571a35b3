// compiles
#include <fmt/format.h>

#include <array>
#include <iostream>

#include "base/codec.h"
#include "base/hash.h"
#include "base/private.h"

void what_is_not_private_is_written() {
  const std::array<float, 2> weights{1.0f, 2.0f};
  const sotto::base::Private<float> taste(1.0f);
  sotto::base::Writer out;
  out.number(weights[0]).array(std::span<const float>(weights));
  sotto::base::Hasher().array(std::span<const float>(weights));
  std::cout << fmt::format("{}", weights[0]) << taste.on_device();
}
