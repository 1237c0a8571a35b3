#include "lab/consent_request.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "device/consent_file.h"
#include "lab/device_folder.h"

namespace sotto {

namespace {

struct MixPart {
  PersonalPolicy policy;
  double share = 0.0;
};

Error wrong_mix(const std::string& what) {
  return fail(Code::usage, fmt::format("consent-mix: {}: give levels and shares that add up to 1, such as "
                                       "open=0.3,balanced=0.4,careful=0.2,closed=0.1",
                                       what));
}

Result<std::vector<MixPart>> parse_mix(const std::string& text) {
  std::vector<MixPart> parts;
  std::istringstream words(text);
  double sum = 0.0;
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos) return wrong_mix(fmt::format("'{}' has no share", word));
    MixPart part;
    if (const Status set = set_level(part.policy, word.substr(0, sign)); !set.ok())
      return wrong_mix(set.error().message);
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + sign + 1, end, part.share);
    if (error != std::errc() || stop != end || !(part.share >= 0.0 && part.share <= 1.0))
      return wrong_mix(fmt::format("the share in '{}' is no number from 0 to 1", word));
    sum += part.share;
    parts.push_back(std::move(part));
  }
  if (std::abs(sum - 1.0) > 1e-9) return wrong_mix(fmt::format("the shares add up to {}", sum));
  return parts;
}

struct DeviceWords {
  std::string user;
  std::string folder;
};

Result<DeviceWords> parse_device(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    return fail(Code::usage, "device: give a person of the data and a folder, such as --device 42=my-device");
  return DeviceWords{text.substr(0, sign), text.substr(sign + 1)};
}

Catalogue catalogue_of(const Split& split) {
  return {split.items, split.catalogue, split.item_categories, split.features.get(), split.contexts.get()};
}

// Which part of the mix each person draws.
std::vector<std::uint16_t> drawn(const std::vector<MixPart>& mix, std::size_t users, std::uint64_t seed) {
  std::vector<std::uint16_t> kind_of(users, 0);
  for (std::uint32_t user = 0; user < users; ++user) {
    double left = Stream(seed, Purpose::consent_mix, 0, user).uniform();
    std::uint16_t kind = 0;
    while (kind + 1u < mix.size() && left >= mix[kind].share) left -= mix[kind++].share;
    kind_of[user] = kind;
  }
  return kind_of;
}

}  // namespace

Status check(const ConsentRequest& request, const ConsentPolicy& everybody) {
  if (!request.policy.empty() && !request.mix.empty())
    return fail(Code::usage,
                "a consent policy is everybody's, a mix draws one for each: give one of the two");
  const bool usual = everybody.pi == ConsentPolicy{}.pi && everybody.mask == ConsentPolicy{}.mask;
  if (!usual && !(request.policy.empty() && request.mix.empty()))
    return fail(Code::usage,
                "a consent policy or mix says what is shared: leave --pi and --mask out, or write them into "
                "the policy");
  if (!request.policy.empty()) {
    SOTTO_TRY(const PersonalPolicy policy, read_policy(request.policy, request.policy_name));
    if (!policy.takes_part())
      return fail(Code::usage,
                  fmt::format("{}: with this policy nobody takes part: there is nothing to train "
                              "on; choose a level (level = \"open\") or a share (pi), or end the pause",
                              request.policy_name));
  }
  if (!request.mix.empty()) SOTTO_TRY_DONE(parse_mix(request.mix));
  if (!request.device.empty()) SOTTO_TRY_DONE(parse_device(request.device));
  return Done{};
}

Status set_device(ConsentRequest& request, const std::string& text) {
  SOTTO_TRY(const DeviceWords words, parse_device(text));
  SOTTO_TRY(const PersonalPolicy policy, DeviceFolder(words.folder).policy());
  request.device = text;
  request.device_policy = to_toml(policy);
  return Done{};
}

Result<std::optional<WatchedDevice>> watched_device(const ConsentRequest& request, const Split& split) {
  if (request.device.empty()) return std::optional<WatchedDevice>();
  SOTTO_TRY(const DeviceWords words, parse_device(request.device));
  const auto user = split.users.find(words.user);
  if (!user)
    return fail(Code::not_found,
                "--device: the data have no such person: write the id as in the training data, then '=' and "
                "the folder");
  return std::optional(WatchedDevice{UserIndex{*user}, words.folder});
}

Result<std::shared_ptr<const ConsentBook>> book_for(const ConsentRequest& request,
                                                    const ConsentPolicy& everybody, const Split& split,
                                                    std::uint64_t seed) {
  if (!request.any()) return std::shared_ptr<const ConsentBook>();
  const Catalogue catalogue = catalogue_of(split);
  std::vector<ConsentTerms> kinds;
  std::vector<std::uint16_t> kind_of(split.users.size(), 0);
  if (!request.policy.empty()) {
    SOTTO_TRY(const PersonalPolicy policy, read_policy(request.policy, request.policy_name));
    SOTTO_TRY(kinds.emplace_back(), terms_for(policy, catalogue, request.policy_name));
  } else if (!request.mix.empty()) {
    SOTTO_TRY(const std::vector<MixPart> mix, parse_mix(request.mix));
    for (const MixPart& part : mix) {
      SOTTO_TRY(kinds.emplace_back(), terms_for(part.policy, catalogue, "consent-mix"));
    }
    kind_of = drawn(mix, split.users.size(), seed);
  } else {
    kinds.push_back({.pi = everybody.pi, .mask = everybody.mask});
  }
  SOTTO_TRY(const std::optional<WatchedDevice> device, watched_device(request, split));
  if (device) {
    const std::string name = DeviceFolder(device->folder).vault_path().string();
    SOTTO_TRY(const PersonalPolicy policy, read_policy(request.device_policy, name));
    kind_of[device->user.value] = static_cast<std::uint16_t>(kinds.size());
    SOTTO_TRY(kinds.emplace_back(), terms_for(policy, catalogue, name));
  }
  return std::shared_ptr<const ConsentBook>(
      std::make_shared<ConsentBook>(std::move(kinds), std::move(kind_of)));
}

std::string describe(const ConsentRequest& request) {
  if (!request.any()) return "";
  return fmt::format(" policy {} mix {} device {} {}", request.policy, request.mix, request.device,
                     request.device_policy);
}

}  // namespace sotto
