#include "fed/secure/sum_server.h"

#include <fmt/core.h>

#include <algorithm>

#include "fed/secure/refusals.h"
#include "fed/secure/sum_device.h"

namespace sotto::fed {

namespace {

DeviceSet all_of(std::uint32_t devices) {
  DeviceSet set(devices);
  for (std::uint32_t device = 0; device < devices; ++device) set.insert(device);
  return set;
}

}  // namespace

SumServer::SumServer(const SumOffer& offer, std::span<const PublicKey> directory)
    : offer_(offer),
      offer_digest_(offer.digest()),
      directory_(directory),
      devices_(offer.terms.devices),
      everyone_(all_of(offer.terms.devices)),
      keyed_(offer.terms.devices),
      wrote_(offer.terms.devices),
      gave_(offer.terms.devices),
      signed_(offer.terms.devices),
      revealed_(offer.terms.devices),
      sum_(offer.entries, offer.range.bits),
      probe_(agreement_key(Secret(offer_digest_))),
      findings_{.proven = DeviceSet(offer.terms.devices), .disputes = {}} {
  SOTTO_ASSERT(directory.size() == offer.terms.devices, "every device of the cohort has an identity");
  const NeighbourGraph graph(offer.terms, offer.beacon);
  committee_ = graph.committee();
  for (std::uint32_t device = 0; device < offer.terms.devices; ++device)
    devices_[device].around = graph.neighbours(device);
}

Status SumServer::expect(Phase phase, std::uint32_t from, std::uint64_t session, const DeviceSet& known,
                         const DeviceSet& heard) const {
  if (phase_ != phase) return sum_refused("a message of another phase");
  if (session != offer_.session) return sum_refused("a message of another session");
  if (!known.has(from)) return sum_refused("a message of a device that takes no part in this phase");
  if (heard.has(from)) return sum_refused("a repeated message");
  return Done{};
}

Status SumServer::close(Phase phase, Phase next, std::uint32_t heard, std::uint32_t needed,
                        const char* what) {
  if (phase_ != phase) return sum_refused("a phase ends once, in its order");
  if (heard < needed) {
    phase_ = Phase::ended;
    return fail(Code::bad_input, fmt::format("secure sum failed: {} {}, the terms ask for {}; nothing is "
                                             "released, start again with a new session",
                                             heard, what, needed));
  }
  phase_ = next;
  return Done{};
}

bool SumServer::is_proper_point(const PublicKey& key) const {
  return agree(probe_, key, {offer_.session, 0, 0}, letter_label).has_value();
}

Status SumServer::receive(std::uint32_t from, const KeysMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::keys, from, message.session, everyone_, keyed_));
  if (message.keys.device != from) return sum_refused("keys under another device's number");
  if (!is_signed(message.keys.digest(offer_digest_), message.keys.signature, directory_[from]))
    return sum_refused("keys with a forged signature");
  // Its neighbours could not agree on anything with it, and would all end their part.
  if (!is_proper_point(message.keys.letter_key) || !is_proper_point(message.keys.mask_key))
    return sum_refused("a device's key is no proper point");
  devices_[from].keys = message.keys;
  keyed_.insert(from);
  return Done{};
}

Status SumServer::close_keys() {
  return close(Phase::keys, Phase::letters, keyed_.size(), offer_.terms.least_survivors, "devices sent keys");
}

NeighbourKeysMessage SumServer::keys_for(std::uint32_t device) const {
  NeighbourKeysMessage message{offer_.session, {}};
  for (const std::uint32_t other : devices_[device].around)
    if (keyed_.has(other)) message.keys.push_back(devices_[other].keys);
  return message;
}

Status SumServer::receive(std::uint32_t from, const LettersMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::letters, from, message.session, keyed_, wrote_));
  std::size_t next = 0;
  for (const std::uint32_t other : devices_[from].around) {
    if (!keyed_.has(other)) continue;
    if (next == message.letters.size() || message.letters[next].device != other)
      return sum_refused("a device must write one letter to each neighbour that sent keys");
    ++next;
  }
  if (next != message.letters.size()) return sum_refused("more letters than neighbours");
  for (const Letter& letter : message.letters) {
    devices_[letter.device].inbox.push_back(letter);
    devices_[letter.device].inbox.back().device = from;
  }
  wrote_.insert(from);
  return Done{};
}

Status SumServer::close_letters() {
  for (Device& device : devices_)
    std::sort(device.inbox.begin(), device.inbox.end(),
              [](const Letter& a, const Letter& b) { return a.device < b.device; });
  return close(Phase::letters, Phase::inputs, wrote_.size(), offer_.terms.least_survivors,
               "devices shared their secrets");
}

LettersMessage SumServer::letters_for(std::uint32_t device) const {
  return {offer_.session, devices_[device].inbox};
}

const Letter* SumServer::letter_to(std::uint32_t holder, std::uint32_t dealer) const {
  const auto& inbox = devices_[holder].inbox;
  const auto at =
      std::lower_bound(inbox.begin(), inbox.end(), dealer,
                       [](const Letter& one, std::uint32_t wanted) { return one.device < wanted; });
  return at != inbox.end() && at->device == dealer ? &*at : nullptr;
}

Status SumServer::receive(std::uint32_t from, const MaskedMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::inputs, from, message.session, wrote_, gave_));
  if (!sum_.is_packed(message.values)) return sum_refused("an input that is not as long as the sum");
  std::size_t next = 0;
  for (const std::uint32_t other : devices_[from].around) {
    if (!wrote_.has(other)) continue;
    if (next == message.tags.size() || message.tags[next].device != other)
      return sum_refused("an input must be masked with every neighbour that shared its secrets");
    ++next;
  }
  if (next != message.tags.size()) return sum_refused("an input masked with more than the neighbours");
  for (const MaskTag& tag : message.tags) devices_[tag.device].tags.push_back({from, tag.tag});
  sum_.add_packed(message.values);
  gave_.insert(from);
  return Done{};
}

Status SumServer::close_inputs() {
  SOTTO_TRY_DONE(close(Phase::inputs, Phase::agreement, gave_.size(), offer_.terms.least_survivors,
                       "devices gave their input"));
  survivors_digest_ = survivors().digest(offer_digest_);
  certificate_.session = offer_.session;
  return Done{};
}

SurvivorsMessage SumServer::survivors() const {
  SurvivorsMessage message{offer_.session, gave_, DeviceSet(offer_.terms.devices)};
  for (std::uint32_t device = 0; device < offer_.terms.devices; ++device)
    if (wrote_.has(device) && !gave_.has(device)) message.dropped.insert(device);
  return message;
}

Status SumServer::receive(std::uint32_t from, const AgreementMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::agreement, from, message.session, gave_, signed_));
  if (!std::binary_search(committee_.begin(), committee_.end(), from))
    return sum_refused("a signature of a device outside the committee");
  if (!is_signed(survivors_digest_, message.signature, directory_[from]))
    return sum_refused("a signature that is forged, or for other survivors");
  signed_.insert(from);
  certificate_.signatures.push_back({from, message.signature});
  return Done{};
}

Status SumServer::close_agreement() {
  auto& list = certificate_.signatures;
  SOTTO_TRY_DONE(close(Phase::agreement, Phase::reveal, static_cast<std::uint32_t>(list.size()),
                       offer_.terms.quorum, "members of the committee signed the survivors"));
  std::sort(list.begin(), list.end(),
            [](const SignedBy& a, const SignedBy& b) { return a.device < b.device; });
  list.resize(offer_.terms.quorum);  // enough; devices need not check more
  return Done{};
}

CertificateMessage SumServer::certificate_for(std::uint32_t device) const {
  CertificateMessage message = certificate_;
  message.tags = devices_[device].tags;
  std::sort(message.tags.begin(), message.tags.end(),
            [](const MaskTag& a, const MaskTag& b) { return a.device < b.device; });
  return message;
}

Status SumServer::check_reveal(std::uint32_t from, const RevealMessage& message) const {
  for (std::size_t n = 0; n < message.shares.size(); ++n) {
    const RevealedShare& one = message.shares[n];
    if (n > 0 && one.device <= message.shares[n - 1].device) return sum_refused("a neighbour's share twice");
    if (letter_to(from, one.device) == nullptr)
      return sum_refused("a share of a device that shared nothing with this one");
    if (one.what != (gave_.has(one.device) ? Revealed::seed : Revealed::key))
      return sum_refused(
          "a share that does not fit the survivors: of a survivor's key, or a dropped one's seed");
    if (!is_proper(one.share)) return sum_refused("a revealed share is no share");
  }
  return Done{};
}

bool SumServer::fits_marks(std::uint32_t from, const RevealMessage& message) const {
  return std::all_of(message.shares.begin(), message.shares.end(), [&](const RevealedShare& one) {
    const Letter& letter = *letter_to(from, one.device);
    return share_mark(offer_digest_, one.device, from, one.what, one.share) ==
           (one.what == Revealed::seed ? letter.seed_mark : letter.key_mark);
  });
}

Status SumServer::receive(std::uint32_t from, const RevealMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::reveal, from, message.session, gave_, revealed_));
  SOTTO_TRY_DONE(check_reveal(from, message));
  if (!fits_marks(from, message)) {
    findings_.proven.insert(from);
    return sum_refused("a share that is not the one its dealer committed to");
  }
  auto said = message.shares.begin();
  for (const Letter& letter : devices_[from].inbox) {
    if (said != message.shares.end() && said->device == letter.device)
      ++said;
    else
      findings_.disputes.push_back({letter.device, from});
  }
  for (const RevealedShare& one : message.shares) {
    Device& owner = devices_[one.device];
    if (owner.shares.size() == offer_.terms.threshold) continue;
    const auto place = std::lower_bound(owner.around.begin(), owner.around.end(), from);
    owner.points.push_back(static_cast<std::uint32_t>(place - owner.around.begin()) + 1);
    owner.shares.push_back(one.share);
  }
  revealed_.insert(from);
  return Done{};
}

Status SumServer::enough_shares(const Device& device) const {
  if (device.shares.size() < offer_.terms.threshold)
    return fail(
        Code::bad_input,
        fmt::format("secure sum failed: a device's secret has {} shares, the threshold is {}; nothing "
                    "is released, start again with a new session",
                    device.shares.size(), offer_.terms.threshold));
  return Done{};
}

Result<Secret> SumServer::rebuild(const Device& device) const {
  std::vector<const Share*> shares;
  for (const Share& share : device.shares) shares.push_back(&share);
  return join_shares(shares, weights_at_zero(device.points));
}

Status SumServer::unmask_survivor(const Device& device) {
  SOTTO_TRY(const Secret seed, rebuild(device));
  const Bytes32 found = seed_commitment(seed, offer_.session, device.keys.device);
  if (!same_bytes(found, device.keys.seed_commitment))
    return sum_refused("masks do not cancel: a survivor's seed is not the one it committed to");
  sum_.subtract_mask(seed);
  return Done{};
}

Status SumServer::unmask_dropped(const Device& device) {
  SOTTO_TRY(const Secret secret, rebuild(device));
  const AgreementKey key = agreement_key(secret);
  if (!same_bytes(key.open, device.keys.mask_key))
    return sum_refused("masks do not cancel: a dropped device's key is not the one it sent");
  const std::uint32_t self = device.keys.device;
  for (const std::uint32_t other : device.around) {
    if (!gave_.has(other)) continue;
    const auto both = agree(key, devices_[other].keys.mask_key, {offer_.session, self, other}, mask_label);
    if (!both) return sum_refused("a device's key is no proper point");
    if (other < self)
      sum_.subtract_mask(*both);
    else
      sum_.add_mask(*both);
  }
  return Done{};
}

Status SumServer::unmask(const Device& device) {
  SOTTO_TRY_DONE(enough_shares(device));
  const std::uint32_t owner = device.keys.device;
  Status unmasked = gave_.has(owner) ? unmask_survivor(device) : unmask_dropped(device);
  // The shares are those it dealt: what they make is its own doing.
  if (!unmasked.ok()) findings_.proven.insert(owner);
  return unmasked;
}

Result<SumTotal> SumServer::release() && {
  if (phase_ != Phase::reveal) return sum_refused("a sum is released once, after all phases");
  phase_ = Phase::ended;
  Status unmasked = Done{};
  for (std::uint32_t device = 0; device < offer_.terms.devices; ++device) {
    if (!wrote_.has(device)) continue;
    // To the end, so that everybody who spoilt the sum is found out.
    if (Status one = unmask(devices_[device]); !one.ok() && unmasked.ok()) unmasked = std::move(one);
  }
  SOTTO_TRY_DONE(unmasked);
  SumTotal total{sum_.values(), gave_};
  findings_.unexplained = !in_range(total.values, offer_.range.limit, gave_.size());
  if (findings_.unexplained) return sum_refused("masks do not cancel: the total is out of range");
  return total;
}

}  // namespace sotto::fed
