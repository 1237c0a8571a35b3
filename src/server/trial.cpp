#include "server/trial.h"

#include <cmath>

#include "base/hash.h"
#include "base/secret_stream.h"

namespace sotto::server {

namespace {

constexpr std::uint64_t whole = 1'000'000;

}  // namespace

Status check_share(double share) {
  if (share >= 1e-6 && share < 1.0) return Done{};
  return fail(Code::usage, "the share that has a version first is above 0 and below 1");
}

VersionTrial begin_trial(std::uint32_t stable, double share) {
  return {.stable = stable,
          .millionths = static_cast<std::uint32_t>(std::lround(share * static_cast<double>(whole))),
          .salt = std::move(Hasher().bytes(system_key())).hex()};
}

bool is_in_share(const VersionTrial& trial, std::uint32_t index) {
  constexpr std::size_t digits = 16;  // 64 bits of the hash
  const std::string hash = std::move(Hasher().text("sotto trial").text(trial.salt).u64(index)).hex();
  return std::stoull(hash.substr(0, digits), nullptr, 16) % whole < trial.millionths;
}

}  // namespace sotto::server
