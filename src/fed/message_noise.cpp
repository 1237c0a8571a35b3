#include "fed/message_noise.h"

#include <cmath>
#include <numbers>

#include "base/fixed_point.h"

namespace sotto {

namespace {

// Two standard normals from two words (Box and Muller 1958).
class Normals {
 public:
  explicit Normals(SecretStream& bits) : bits_(bits) {}
  [[nodiscard]] double next() {
    if (spare_) {
      spare_ = false;
      return second_;
    }
    // In (0, 1]: the logarithm of zero is never asked for.
    const double u = (static_cast<double>(bits_.next_u64() >> 11) + 1.0) * 0x1.0p-53;
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(bits_.next_u64() >> 11) * 0x1.0p-53;
    const double radius = std::sqrt(-2.0 * std::log(u));
    second_ = radius * std::sin(angle);
    spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  SecretStream& bits_;
  double second_ = 0.0;
  bool spare_ = false;
};

}  // namespace

Status MessageNoise::begin(const RoundPlace& place) {
  round_ = place.round;
  return inner_.begin(place);
}

Status MessageNoise::accept(UserIndex user, Contribution& contribution) {
  ContributionEdit edit(contribution);
  edit.clip(options_.clip);
  if (options_.fill) edit.fill(0, static_cast<std::uint32_t>(shape_.rows));
  if (options_.sd > 0.0) {
    SecretStream bits(simulated_key(options_.seed, "message noise", round_, user.value));
    Normals normals(bits);
    for (std::size_t n = 0; n < contribution.size(); ++n)
      for (std::int32_t& value : edit.values(n)) {
        const double noisy = static_cast<double>(value) + std::nearbyint(options_.sd * normals.next());
        value = static_cast<std::int32_t>(std::clamp(noisy, -double{fixed_limit}, double{fixed_limit}));
      }
  }
  return inner_.accept(user, contribution);
}

}  // namespace sotto
