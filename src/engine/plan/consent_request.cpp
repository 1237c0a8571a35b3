#include "engine/plan/consent_request.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "device/consent_file.h"
#include "engine/plan/device_folder.h"

namespace sotto::engine {

namespace {

// A word and the share of people who draw it.
struct MixWord {
  std::string word;
  double share = 0.0;
};

Result<std::vector<MixWord>> parse_mix_words(const std::string& text) {
  std::vector<MixWord> parts;
  std::istringstream words(text);
  double sum = 0.0;
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos) return fail(Code::usage, fmt::format("'{}' has no share", word));
    MixWord part{.word = word.substr(0, sign)};
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + sign + 1, end, part.share);
    if (error != std::errc() || stop != end || !(part.share >= 0.0 && part.share <= 1.0))
      return fail(Code::usage, fmt::format("the share in '{}' is not a number from 0 to 1", word));
    sum += part.share;
    parts.push_back(std::move(part));
  }
  if (std::abs(sum - 1.0) > 1e-9) return fail(Code::usage, fmt::format("the shares add up to {}", sum));
  return parts;
}

// A mix with what its words mean.
template <class Meaning>
struct Mix {
  std::vector<MixWord> words;
  std::vector<Meaning> means;
};

template <class Meaning, class Parse>
Result<Mix<Meaning>> parse_mix_of(const std::string& text, const char* name, const char* advice,
                                  const Parse& parse) {
  const auto wrong = [&](const Error& error) {
    return fail(Code::usage, fmt::format("{}: {}: give {}", name, error.message, advice));
  };
  auto words = parse_mix_words(text);
  if (!words.ok()) return wrong(words.error());
  Mix<Meaning> mix{std::move(*words), {}};
  for (const MixWord& part : mix.words) {
    auto meaning = parse(part.word);
    if (!meaning.ok()) return wrong(meaning.error());
    mix.means.push_back(std::move(*meaning));
  }
  return mix;
}

Result<Mix<PersonalPolicy>> parse_levels(const std::string& text) {
  return parse_mix_of<PersonalPolicy>(
      text, "consent-mix",
      "levels and shares that add up to 1, such as open=0.3,balanced=0.4,careful=0.2,closed=0.1",
      [](const std::string& word) -> Result<PersonalPolicy> {
        PersonalPolicy policy;
        SOTTO_TRY_DONE(set_level(policy, word));
        return policy;
      });
}

// Of every dimension the share that enters.
Result<Mix<double>> parse_protocols(const std::string& text) {
  return parse_mix_of<double>(text, "udcp",
                              "kinds and shares that add up to 1, such as full=0.5,partial=0.3,none=0.2",
                              [](const std::string& word) { return parse_choice(word, "none"); });
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

// Which of the words a person draws: a function of (seed, user).
std::size_t drawn(std::span<const MixWord> words, Purpose purpose, std::uint32_t user, std::uint64_t seed) {
  double left = Stream(seed, purpose, 0, user).uniform();
  std::size_t word = 0;
  while (word + 1 < words.size() && left >= words[word].share) left -= words[word++].share;
  return word;
}

std::vector<std::uint16_t> levels_by_user(std::span<const MixWord> levels, std::size_t users,
                                          std::uint64_t seed) {
  std::vector<std::uint16_t> of_user(users);
  for (std::uint32_t user = 0; user < users; ++user)
    of_user[user] = static_cast<std::uint16_t>(drawn(levels, Purpose::consent_mix, user, seed));
  return of_user;
}

struct People {
  std::vector<ConsentTerms> kinds;
  std::vector<std::uint16_t> kind_of;
};

// Everybody of `people` draws a protocol too: each kind becomes one kind a protocol.
Status draw_protocols(const std::string& text, const Contexts* contexts, std::uint64_t seed, People& people) {
  SOTTO_TRY(const Mix<double> mix, parse_protocols(text));
  if (contexts == nullptr || contexts->dimensions.empty())
    return fail(Code::usage,
                "udcp: a protocol decides which contexts enter, and this run uses none: leave --udcp out, or "
                "name contexts with --contexts");
  std::vector<ConsentTerms> kinds;
  for (const ConsentTerms& terms : people.kinds)
    for (const double share : mix.means) {
      kinds.push_back(terms);
      if (share < 1.0)
        kinds.back().contexts.shares.assign(contexts->dimensions.size(), static_cast<float>(share));
    }
  for (std::uint32_t user = 0; user < people.kind_of.size(); ++user)
    people.kind_of[user] = static_cast<std::uint16_t>(people.kind_of[user] * mix.means.size() +
                                                      drawn(mix.words, Purpose::udcp_mix, user, seed));
  people.kinds = std::move(kinds);
  return Done{};
}

Result<People> people_of(const ConsentRequest& request, const ConsentPolicy& everybody, const Split& split,
                         std::uint64_t seed) {
  const Catalogue catalogue = catalogue_of(split);
  People people{{}, std::vector<std::uint16_t>(split.users.size(), 0)};
  if (!request.policy.empty()) {
    SOTTO_TRY(const PersonalPolicy policy, read_policy(request.policy, request.policy_name));
    SOTTO_TRY(people.kinds.emplace_back(), terms_for(policy, catalogue, request.policy_name));
  } else if (!request.mix.empty()) {
    SOTTO_TRY(const Mix<PersonalPolicy> mix, parse_levels(request.mix));
    for (const PersonalPolicy& policy : mix.means) {
      SOTTO_TRY(people.kinds.emplace_back(), terms_for(policy, catalogue, "consent-mix"));
      people.kinds.back().contexts.shares.clear();
    }
    people.kind_of = levels_by_user(mix.words, split.users.size(), seed);
  } else {
    people.kinds.push_back(
        {.pi = everybody.pi, .mask = everybody.mask, .contexts = {.whole = everybody.pi >= 1.0}});
  }
  if (!request.udcp.empty()) SOTTO_TRY_DONE(draw_protocols(request.udcp, split.contexts.get(), seed, people));
  return people;
}

}  // namespace

Status check(const ConsentRequest& request, const ConsentPolicy& everybody) {
  if (!request.policy.empty() && !request.mix.empty())
    return fail(Code::usage,
                "a consent policy is for everybody, a mix draws one per person: give one of the two");
  if (!request.policy.empty() && !request.udcp.empty())
    return fail(Code::usage,
                "a consent policy decides which contexts enter: leave --udcp out, or write [contexts] into "
                "the policy");
  const bool usual = everybody.pi == ConsentPolicy{}.pi && everybody.mask == ConsentPolicy{}.mask;
  if (!usual && !(request.policy.empty() && request.mix.empty()))
    return fail(Code::usage,
                "a consent policy or mix decides what is shared: leave --pi and --mask out, or write them "
                "into the policy");
  if (!request.policy.empty()) {
    SOTTO_TRY(const PersonalPolicy policy, read_policy(request.policy, request.policy_name));
    if (!policy.takes_part())
      return fail(Code::usage,
                  fmt::format("{}: with this policy nobody takes part: there is nothing to train "
                              "on; choose a level (level = \"open\") or a share (pi), or end the pause",
                              request.policy_name));
  }
  if (!request.mix.empty()) SOTTO_TRY_DONE(parse_levels(request.mix));
  if (!request.udcp.empty()) SOTTO_TRY_DONE(parse_protocols(request.udcp));
  if (!request.device.empty()) SOTTO_TRY_DONE(parse_device(request.device));
  return Done{};
}

Status set_device(ConsentRequest& request, const std::string& text) {
  SOTTO_TRY(const DeviceWords words, parse_device(text));
  SOTTO_TRY(const PersonalPolicy policy, DeviceFolder(words.folder).policy());
  request.device = text;
  request.device_policy = device::to_toml(policy);
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
  SOTTO_TRY(People people, people_of(request, everybody, split, seed));
  SOTTO_TRY(const std::optional<WatchedDevice> device, watched_device(request, split));
  if (device) {
    const std::string name = DeviceFolder(device->folder).vault_path().string();
    SOTTO_TRY(const PersonalPolicy policy, read_kept_policy(request.device_policy, name));
    people.kind_of[device->user.value] = static_cast<std::uint16_t>(people.kinds.size());
    SOTTO_TRY(people.kinds.emplace_back(), terms_for(policy, catalogue_of(split), name));
  }
  return std::shared_ptr<const ConsentBook>(
      std::make_shared<ConsentBook>(std::move(people.kinds), std::move(people.kind_of), seed));
}

std::optional<DrawnLevels> drawn_levels(const ConsentRequest& request, std::size_t users,
                                        std::uint64_t seed) {
  const auto words = parse_mix_words(request.mix);
  if (request.mix.empty() || !words.ok()) return std::nullopt;
  DrawnLevels levels{{}, levels_by_user(*words, users, seed)};
  for (const MixWord& word : *words) levels.names.push_back(word.word);
  return levels;
}

}  // namespace sotto::engine
