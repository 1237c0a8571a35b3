#include "fed/secure/sum_device.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include "fed/secure/refusals.h"

namespace sotto::fed {

namespace {

// One key a direction: the sender's number goes into it.
Secret letter_key(const Secret& both, std::uint32_t from) { return both.derive("from", from); }

// What `from` says to the other of the pair about its input.
MaskTag mask_tag(const Secret& both, std::uint32_t from, std::uint32_t named) {
  MaskTag tag{named, {}};
  const Secret whole = both.derive("masked by", from);
  std::copy_n(whole.on_device().begin(), tag.tag.size(), tag.tag.begin());
  return tag;
}

// Whether the owner of a tag says in a certificate that it masked its input with the receiver.
bool vouches(const CertificateMessage& message, const MaskTag& expected) {
  return std::any_of(message.tags.begin(), message.tags.end(), [&](const MaskTag& one) {
    return one.device == expected.device &&
           sodium_memcmp(one.tag.data(), expected.tag.data(), expected.tag.size()) == 0;
  });
}

void store(const Share& share, std::uint8_t* out) { std::memcpy(out, share.limbs.data(), share_bytes); }
Share load(const std::uint8_t* in) {
  Share share;
  std::memcpy(share.limbs.data(), in, share_bytes);
  return share;
}

}  // namespace

Bytes32 seed_commitment(const Secret& seed, std::uint64_t session, std::uint32_t device) {
  const auto number = bytes_of(device);
  const auto when = bytes_of(session);
  return seed.derive("sotto sum commitment", {when, number}).on_device();
}

ShareMark share_mark(const Bytes32& offer, std::uint32_t dealer, std::uint32_t holder, Revealed what,
                     const Share& share) {
  const auto from = bytes_of(dealer);
  const auto to = bytes_of(holder);
  const std::array<std::uint8_t, 1> kind{static_cast<std::uint8_t>(what)};
  std::array<std::uint8_t, share_bytes> limbs{};
  store(share, limbs.data());
  const Bytes32 whole = digest_of("sotto sum share", {offer, from, to, kind, limbs});
  wipe(limbs);
  ShareMark mark{};
  std::copy_n(whole.begin(), mark.size(), mark.begin());
  return mark;
}

SumDevice::SumDevice(std::uint32_t device, const Identity& identity, std::span<const PublicKey> directory,
                     const SumTerms& terms, const Secret& entropy)
    : device_(device), identity_(identity), directory_(directory), terms_(terms), entropy_(entropy) {}

void SumDevice::forget() {
  phase_ = Phase::ended;
  neighbours_.clear();
  entropy_ = seed_ = Secret();
  letter_key_ = mask_key_ = AgreementKey();
}

Error SumDevice::refuse(const char* why) {
  forget();
  return sum_refused(why);
}

Status SumDevice::expect(Phase phase, std::uint64_t session) {
  if (phase_ == Phase::ended) return sum_refused("this device has ended its part");
  if (phase_ != phase) return refuse("a message of another phase, or a repeated one");
  if (session != offer_.session) return refuse("a message of another session");
  return Done{};
}

SumDevice::Neighbour* SumDevice::find(std::uint32_t device) {
  const auto at =
      std::lower_bound(neighbours_.begin(), neighbours_.end(), device,
                       [](const Neighbour& one, std::uint32_t wanted) { return one.device < wanted; });
  return at != neighbours_.end() && at->device == device ? &*at : nullptr;
}

Result<KeysMessage> SumDevice::join(const SumOffer& offer) {
  if (phase_ != Phase::offered) return refuse("a repeated offer");
  if (!(offer.terms == terms_) || directory_.size() != terms_.devices || device_ >= terms_.devices)
    return refuse("the offer's terms are not those that this cohort asks for");
  if (!plan_range(terms_.devices, offer.range.limit, offer.range.bits).ok())
    return refuse("the sum would not fit its ring");
  offer_ = offer;
  offer_digest_ = offer.digest();
  const NeighbourGraph graph(terms_, offer.beacon);
  around_ = graph.neighbours(device_);
  committee_ = graph.committee();
  letter_key_ = agreement_key(entropy_.derive("letter key"));
  mask_key_ = agreement_key(entropy_.derive("mask key"));
  seed_ = entropy_.derive("self mask");
  KeysMessage message{offer.session, {device_, letter_key_.open, mask_key_.open, {}, {}}};
  message.keys.seed_commitment = seed_commitment(seed_, offer.session, device_);
  message.keys.signature = identity_.sign(message.keys.digest(offer_digest_));
  phase_ = Phase::keys_sent;
  return message;
}

Status SumDevice::take_neighbours(const NeighbourKeysMessage& message) {
  if (message.keys.size() < terms_.threshold) return sum_refused("fewer neighbours than the threshold");
  for (const DeviceKeys& keys : message.keys) {
    if (!std::binary_search(around_.begin(), around_.end(), keys.device))
      return sum_refused("keys of a device that is no neighbour");
    if (!neighbours_.empty() && keys.device <= neighbours_.back().device)
      return sum_refused("keys of a neighbour twice");
    if (!is_signed(keys.digest(offer_digest_), keys.signature, directory_[keys.device]))
      return sum_refused("a neighbour's keys are forged, or signed for another offer");
    const auto both =
        agree(letter_key_, keys.letter_key, {offer_.session, device_, keys.device}, letter_label);
    if (!both) return sum_refused("a neighbour's key is no proper point");
    Neighbour neighbour;
    neighbour.device = keys.device;
    neighbour.mask_key = keys.mask_key;
    neighbour.letters = *both;
    neighbours_.push_back(neighbour);
  }
  return Done{};
}

Result<LettersMessage> SumDevice::receive(const NeighbourKeysMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::keys_sent, message.session));
  if (Status taken = take_neighbours(message); !taken.ok()) return forget(), taken.error();
  const auto count = static_cast<std::uint32_t>(around_.size());
  const auto seeds = split_secret(seed_, terms_.threshold, count, entropy_.derive("share seed"));
  const auto keys = split_secret(mask_key_.secret, terms_.threshold, count, entropy_.derive("share key"));
  LettersMessage letters{offer_.session, {}};
  for (const Neighbour& neighbour : neighbours_) {
    // A neighbour's point is its place among all of ours, whether the others came or not.
    const auto place = static_cast<std::size_t>(
        std::lower_bound(around_.begin(), around_.end(), neighbour.device) - around_.begin());
    std::array<std::uint8_t, 2 * share_bytes> plain{};
    store(seeds[place], plain.data());
    store(keys[place], plain.data() + share_bytes);
    const auto sealed = seal(letter_key(neighbour.letters, device_), plain);
    wipe(plain);
    Letter letter{neighbour.device, {}, {}, {}};
    std::copy(sealed.begin(), sealed.end(), letter.sealed.begin());
    letter.seed_mark = share_mark(offer_digest_, device_, neighbour.device, Revealed::seed, seeds[place]);
    letter.key_mark = share_mark(offer_digest_, device_, neighbour.device, Revealed::key, keys[place]);
    letters.letters.push_back(letter);
  }
  phase_ = Phase::letters_sent;
  return letters;
}

bool SumDevice::open_letter(Neighbour& from, const Letter& letter) const {
  std::array<std::uint8_t, 2 * share_bytes> plain{};
  const bool opened = unseal(letter_key(from.letters, letter.device), letter.sealed, plain);
  from.seed = load(plain.data());
  from.key = load(plain.data() + share_bytes);
  wipe(plain);
  const auto fits = [&](Revealed what, const Share& share, const ShareMark& mark) {
    return is_proper(share) && share_mark(offer_digest_, letter.device, device_, what, share) == mark;
  };
  return opened && fits(Revealed::seed, from.seed, letter.seed_mark) &&
         fits(Revealed::key, from.key, letter.key_mark);
}

Status SumDevice::open_letters(const LettersMessage& message) {
  std::size_t held = 0;
  for (const Letter& letter : message.letters) {
    Neighbour* from = find(letter.device);
    if (from == nullptr) return sum_refused("a letter of a device that is no neighbour");
    if (from->wrote) return sum_refused("two letters of one neighbour");
    from->wrote = true;
    from->holds = open_letter(*from, letter);
    if (from->holds) ++held;
  }
  if (held < terms_.threshold) return sum_refused("fewer letters with shares than the threshold");
  return Done{};
}

Result<RingValues> SumDevice::mask(std::span<const std::int32_t> input) const {
  SOTTO_TRY_DONE(check_input(input, offer_.entries, offer_.range.limit));
  RingValues values(input.size(), offer_.range.bits);
  values.add(input);
  values.add_mask(seed_);
  for (const Neighbour& neighbour : neighbours_) {
    if (!neighbour.wrote) continue;
    const auto both =
        agree(mask_key_, neighbour.mask_key, {offer_.session, device_, neighbour.device}, mask_label);
    if (!both) return sum_refused("a neighbour's key is no proper point");
    if (device_ < neighbour.device)
      values.add_mask(*both);
    else
      values.subtract_mask(*both);
  }
  return values;
}

Result<MaskedMessage> SumDevice::receive(const LettersMessage& message, std::span<const std::int32_t> input) {
  SOTTO_TRY_DONE(expect(Phase::letters_sent, message.session));
  if (Status opened = open_letters(message); !opened.ok()) return forget(), opened.error();
  auto masked = mask(input);
  if (!masked.ok()) return forget(), masked.error();
  MaskedMessage sent{offer_.session, {}, masked->packed()};
  for (const Neighbour& neighbour : neighbours_)
    if (neighbour.wrote) sent.tags.push_back(mask_tag(neighbour.letters, device_, neighbour.device));
  phase_ = Phase::input_sent;
  return sent;
}

Status SumDevice::check_survivors(const SurvivorsMessage& message) const {
  if (message.survivors.devices() != terms_.devices || message.dropped.devices() != terms_.devices)
    return sum_refused("the survivors are of another cohort");
  if (message.survivors.meets(message.dropped))
    return sum_refused("both the seed and the key of one device are asked for");
  if (message.survivors.size() < terms_.least_survivors)
    return sum_refused("fewer survivors than the terms allow");
  if (!message.survivors.has(device_)) return sum_refused("this device's input is left out");
  for (const Neighbour& neighbour : neighbours_) {
    const bool named = message.survivors.has(neighbour.device) || message.dropped.has(neighbour.device);
    if (named != neighbour.wrote)
      return sum_refused("the survivors do not fit the letters that were delivered");
  }
  return Done{};
}

Result<std::optional<AgreementMessage>> SumDevice::receive(const SurvivorsMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::input_sent, message.session));
  if (Status checked = check_survivors(message); !checked.ok()) return forget(), checked.error();
  survivors_ = message.survivors;
  survivors_digest_ = message.digest(offer_digest_);
  phase_ = Phase::agreed;
  if (!std::binary_search(committee_.begin(), committee_.end(), device_)) return {std::nullopt};
  return {AgreementMessage{offer_.session, identity_.sign(survivors_digest_)}};
}

Status SumDevice::check_certificate(const CertificateMessage& message) const {
  if (message.signatures.size() < terms_.quorum) return sum_refused("fewer signatures than the quorum");
  for (std::size_t n = 0; n < message.signatures.size(); ++n) {
    const SignedBy& one = message.signatures[n];
    if (n > 0 && one.device <= message.signatures[n - 1].device) return sum_refused("a signature twice");
    if (!std::binary_search(committee_.begin(), committee_.end(), one.device))
      return sum_refused("a signature of a device outside the committee");
    if (!is_signed(survivors_digest_, one.signature, directory_[one.device]))
      return sum_refused("a signature is forged, or for other survivors");
  }
  return Done{};
}

Result<RevealMessage> SumDevice::receive(const CertificateMessage& message) {
  SOTTO_TRY_DONE(expect(Phase::agreed, message.session));
  if (Status checked = check_certificate(message); !checked.ok()) return forget(), checked.error();
  RevealMessage reveal{offer_.session, {}};
  for (const Neighbour& neighbour : neighbours_) {
    if (!neighbour.holds) continue;
    const bool survives = survivors_.has(neighbour.device);
    if (survives && !vouches(message, mask_tag(neighbour.letters, neighbour.device, neighbour.device)))
      continue;
    reveal.shares.push_back({neighbour.device, survives ? Revealed::seed : Revealed::key,
                             survives ? neighbour.seed : neighbour.key});
  }
  forget();
  return reveal;
}

}  // namespace sotto::fed
