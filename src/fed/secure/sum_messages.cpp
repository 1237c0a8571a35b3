#include "fed/secure/sum_messages.h"

#include <algorithm>

namespace sotto::fed {

namespace {

template <std::size_t N>
void write_bytes(Writer& out, const std::array<std::uint8_t, N>& bytes) {
  out.raw(std::as_bytes(std::span(bytes)));
}

template <std::size_t N>
void read_bytes(Reader& in, std::array<std::uint8_t, N>& bytes) {
  const auto raw = in.raw(N);
  if (!raw.empty()) std::memcpy(bytes.data(), raw.data(), N);
}

void write_item(Writer& out, const DeviceKeys& keys) {
  out.number(keys.device);
  write_bytes(out, keys.letter_key);
  write_bytes(out, keys.mask_key);
  write_bytes(out, keys.seed_commitment);
  write_bytes(out, keys.signature);
}
void read_item(Reader& in, DeviceKeys& keys) {
  keys.device = in.number<std::uint32_t>();
  read_bytes(in, keys.letter_key);
  read_bytes(in, keys.mask_key);
  read_bytes(in, keys.seed_commitment);
  read_bytes(in, keys.signature);
}

void write_item(Writer& out, const Letter& letter) {
  out.number(letter.device);
  write_bytes(out, letter.sealed);
  write_bytes(out, letter.seed_mark);
  write_bytes(out, letter.key_mark);
}
void read_item(Reader& in, Letter& letter) {
  letter.device = in.number<std::uint32_t>();
  read_bytes(in, letter.sealed);
  read_bytes(in, letter.seed_mark);
  read_bytes(in, letter.key_mark);
}

void write_item(Writer& out, const SignedBy& one) {
  out.number(one.device);
  write_bytes(out, one.signature);
}
void read_item(Reader& in, SignedBy& one) {
  one.device = in.number<std::uint32_t>();
  read_bytes(in, one.signature);
}

void write_item(Writer& out, const MaskTag& one) {
  out.number(one.device);
  write_bytes(out, one.tag);
}
void read_item(Reader& in, MaskTag& one) {
  one.device = in.number<std::uint32_t>();
  read_bytes(in, one.tag);
}

void write_item(Writer& out, const RevealedShare& one) {
  out.number(one.device).number(static_cast<std::uint8_t>(one.what));
  for (const std::uint64_t limb : one.share.limbs) out.number(limb);
}
void read_item(Reader& in, RevealedShare& one) {
  one.device = in.number<std::uint32_t>();
  one.what = static_cast<Revealed>(in.number<std::uint8_t>());
  for (std::uint64_t& limb : one.share.limbs) limb = in.number<std::uint64_t>();
}

template <class Item>
void write_list(Writer& out, const std::vector<Item>& items) {
  out.number(static_cast<std::uint32_t>(items.size()));
  for (const Item& item : items) write_item(out, item);
}

// `bytes` an item: a list is never longer than what is left of the message.
template <class Item>
Result<std::vector<Item>> read_list(Reader& in, std::size_t bytes) {
  const auto count = in.number<std::uint32_t>();
  if (in.spoiled() || count > in.remaining() / bytes)
    return fail(Code::bad_input, "message refused: its list is longer than the message");
  std::vector<Item> items(count);
  for (std::size_t n = 0; n < items.size(); ++n) {
    read_item(in, items[n]);
    if (n > 0 && items[n].device <= items[n - 1].device)
      return fail(Code::bad_input, "message refused: a list of devices must ascend, each device once");
  }
  return items;
}

Result<std::uint64_t> read_session(Reader& in) {
  const auto session = in.number<std::uint64_t>();
  if (in.spoiled()) return fail(Code::bad_input, "message refused: it ends before its session");
  return session;
}

Status whole(const Reader& in) {
  if (in.spoiled()) return fail(Code::bad_input, "message refused: it ends too early");
  return Done{};
}

}  // namespace

void SumOffer::write(Writer& out) const {
  out.number(session).number(terms.devices).number(terms.degree).number(terms.threshold);
  out.number(terms.committee).number(terms.quorum).number(terms.least_survivors).number(terms.crowd);
  out.number(range.bits).number(range.limit).number(entries);
  write_bytes(out, beacon);
}

Result<SumOffer> SumOffer::read(Reader& in) {
  SumOffer offer;
  offer.session = in.number<std::uint64_t>();
  SumTerms& terms = offer.terms;
  for (std::uint32_t* field : {&terms.devices, &terms.degree, &terms.threshold, &terms.committee,
                               &terms.quorum, &terms.least_survivors, &terms.crowd, &offer.range.bits})
    *field = in.number<std::uint32_t>();
  offer.range.limit = in.number<std::int32_t>();
  offer.entries = in.number<std::uint32_t>();
  read_bytes(in, offer.beacon);
  SOTTO_TRY_DONE(whole(in));
  const bool graph = terms.devices >= 2 && terms.devices <= most_sum_devices &&
                     (terms.degree + 1 == terms.devices ||
                      (terms.degree >= 2 && terms.degree % 2 == 0 && terms.degree + 1 < terms.devices));
  if (!graph || terms.threshold < 1 || terms.threshold > terms.degree || terms.committee > terms.devices ||
      terms.quorum < 1 || terms.quorum > terms.committee || terms.least_survivors > terms.devices)
    return fail(Code::bad_input, "message refused: the terms of the sum contradict themselves");
  if (offer.range.bits < 2 || offer.entries == 0 ||
      !plan_range(terms.devices, offer.range.limit, offer.range.bits).ok())
    return fail(Code::bad_input, "message refused: the sum would not fit its ring");
  return offer;
}

Bytes32 sum_beacon(std::uint64_t session, std::span<const PublicKey> directory) {
  std::vector<std::uint8_t> keys;
  for (const PublicKey& key : directory) keys.insert(keys.end(), key.begin(), key.end());
  return digest_of("sotto sum beacon v1", {bytes_of(session), keys});
}

Bytes32 SumOffer::digest() const {
  Writer out;
  write(out);
  const auto bytes = out.view();
  return digest_of("sotto sum offer", {{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}});
}

Bytes32 DeviceKeys::digest(const Bytes32& offer) const {
  const auto number = bytes_of(device);
  return digest_of("sotto sum keys", {offer, number, letter_key, mask_key, seed_commitment});
}

void KeysMessage::write(Writer& out) const {
  out.number(session);
  write_item(out, keys);
}
Result<KeysMessage> KeysMessage::read(Reader& in) {
  KeysMessage message;
  SOTTO_TRY(message.session, read_session(in));
  read_item(in, message.keys);
  SOTTO_TRY_DONE(whole(in));
  return message;
}

void NeighbourKeysMessage::write(Writer& out) const {
  out.number(session);
  write_list(out, keys);
}
Result<NeighbourKeysMessage> NeighbourKeysMessage::read(Reader& in) {
  NeighbourKeysMessage message;
  SOTTO_TRY(message.session, read_session(in));
  SOTTO_TRY(message.keys, read_list<DeviceKeys>(in, 4 + 3 * 32 + 64));
  return message;
}

void LettersMessage::write(Writer& out) const {
  out.number(session);
  write_list(out, letters);
}
Result<LettersMessage> LettersMessage::read(Reader& in) {
  LettersMessage message;
  SOTTO_TRY(message.session, read_session(in));
  SOTTO_TRY(message.letters, read_list<Letter>(in, 4 + Letter::bytes));
  return message;
}

void MaskedMessage::write(Writer& out) const {
  out.number(session);
  write_list(out, tags);
  out.array(std::span(std::as_const(values)));
}
Result<MaskedMessage> MaskedMessage::read(Reader& in) {
  MaskedMessage message;
  SOTTO_TRY(message.session, read_session(in));
  SOTTO_TRY(message.tags, read_list<MaskTag>(in, 4 + 16));
  message.values = in.array<std::byte>();
  SOTTO_TRY_DONE(whole(in));
  return message;
}

void SurvivorsMessage::write(Writer& out) const {
  out.number(session).number(survivors.devices());
  out.raw(std::as_bytes(std::span(survivors.bits()))).raw(std::as_bytes(std::span(dropped.bits())));
}
Result<SurvivorsMessage> SurvivorsMessage::read(Reader& in) {
  SurvivorsMessage message;
  SOTTO_TRY(message.session, read_session(in));
  const auto devices = in.number<std::uint32_t>();
  if (in.spoiled() || devices == 0 || devices > most_sum_devices)
    return fail(Code::bad_input, "message refused: no such number of devices");
  for (DeviceSet* set : {&message.survivors, &message.dropped}) {
    const auto raw = in.raw((devices + 7) / 8);
    std::vector<std::uint8_t> bits(raw.size());
    if (!raw.empty()) std::memcpy(bits.data(), raw.data(), raw.size());
    if (!DeviceSet::fits(devices, bits))
      return fail(Code::bad_input, "message refused: a set of devices has not one bit for each");
    *set = DeviceSet(devices, std::move(bits));
  }
  return message;
}

Bytes32 SurvivorsMessage::digest(const Bytes32& offer) const {
  return digest_of("sotto sum survivors", {offer, survivors.bits(), dropped.bits()});
}

void AgreementMessage::write(Writer& out) const {
  out.number(session);
  write_bytes(out, signature);
}
Result<AgreementMessage> AgreementMessage::read(Reader& in) {
  AgreementMessage message;
  SOTTO_TRY(message.session, read_session(in));
  read_bytes(in, message.signature);
  SOTTO_TRY_DONE(whole(in));
  return message;
}

void CertificateMessage::write(Writer& out) const {
  out.number(session);
  write_list(out, signatures);
  write_list(out, tags);
}
Result<CertificateMessage> CertificateMessage::read(Reader& in) {
  CertificateMessage message;
  SOTTO_TRY(message.session, read_session(in));
  SOTTO_TRY(message.signatures, read_list<SignedBy>(in, 4 + 64));
  SOTTO_TRY(message.tags, read_list<MaskTag>(in, 4 + 16));
  return message;
}

void RevealMessage::write(Writer& out) const {
  out.number(session);
  write_list(out, shares);
}
Result<RevealMessage> RevealMessage::read(Reader& in) {
  RevealMessage message;
  SOTTO_TRY(message.session, read_session(in));
  SOTTO_TRY(message.shares, read_list<RevealedShare>(in, 5 + share_bytes));
  for (const RevealedShare& one : message.shares)
    if ((one.what != Revealed::seed && one.what != Revealed::key) || !is_proper(one.share))
      return fail(Code::bad_input, "message refused: a revealed share is no share");
  return message;
}

}  // namespace sotto::fed
