#include "device/vault.h"

#include <fmt/core.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>

#include "base/codec.h"
#include "device/consent_file.h"
#include "fed/wire/catalogue.h"
#include "fed/wire/published_model.h"

namespace sotto::device {

namespace {

constexpr std::uint64_t nonce_block = 60'000'000;  // a minute: nonces follow the time in µs
constexpr std::uint64_t most_nonce = std::uint64_t{1} << 62;
constexpr std::size_t most_items = std::size_t{1} << 26;
constexpr std::size_t most_version = 256;
constexpr std::size_t most_contexts = 64;  // of a thing
constexpr std::size_t most_context_name = 1024;
constexpr const char* pending = "pending";

std::span<const std::byte> bytes_in(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string_view text_in(const Writer& out) {
  return {reinterpret_cast<const char*>(out.view().data()), out.size()};
}

std::string encoded(const Private<RowMatrix>& own) {
  const RowMatrix& row = own.on_device();
  Writer out;
  out.number(static_cast<std::uint32_t>(row.width())).raw(std::as_bytes(row.values(0)));
  return std::string(text_in(out));
}

std::optional<Private<RowMatrix>> read_row(std::string_view text) {
  Reader in(bytes_in(text));
  const auto width = in.number<std::uint32_t>();
  if (in.remaining() != std::size_t{width} * sizeof(float) || width == 0) return std::nullopt;
  RowMatrix row(1, width);
  const auto bytes = in.raw(in.remaining());
  std::memcpy(row.row(0), bytes.data(), bytes.size());
  return Private<RowMatrix>(std::move(row));
}

std::string encoded(const HeldModel& model) {
  Writer out;
  out.text(model.version).text(model.spec).text(model.catalogue);
  out.number(static_cast<std::uint64_t>(model.rows.rows()));
  out.number(static_cast<std::uint64_t>(model.rows.width()));
  out.raw(bytes_in(model.encoded));
  return std::string(text_in(out));
}

// In whichever precision it was published: an encoding says that itself.
Result<RowMatrix> rows_of(const std::string& published, ModelShape shape) {
  Result<RowMatrix> rows = fail(Code::bad_input, "no precision");
  for (const v1::Precision precision : {v1::PRECISION_F32, v1::PRECISION_F16, v1::PRECISION_I8}) {
    shape.precision = precision;
    rows = read_published(published, shape);
    if (rows.ok()) break;
  }
  return rows;
}

Result<HeldModel> read_model(std::string_view text) {
  Reader in(bytes_in(text));
  HeldModel model;
  model.version = in.text(most_version);
  model.spec = in.text(most_version);
  model.catalogue = in.text(most_version);
  ModelShape shape;
  shape.rows = in.number<std::uint64_t>();
  shape.width = in.number<std::uint64_t>();
  if (in.spoiled()) return fail(Code::bad_input, "cut short");
  const auto rest = in.raw(in.remaining());
  model.encoded.assign(reinterpret_cast<const char*>(rest.data()), rest.size());
  if (model.has_version()) {
    SOTTO_TRY(model.rows, rows_of(model.encoded, shape));
  }
  return model;
}

// Value and time are all that version 0.1.0 wrote, and there 1 and 0 meant that none was known. The rest says
// which of the two were, and under what circumstances.
constexpr double no_value_kept = 1.0;

std::string encoded(const KeptInteraction& one) {
  Writer out;
  out.number(one.rating.value_or(no_value_kept)).number(one.time_ms.value_or(0));
  out.number(one.rating.has_value()).number(one.time_ms.has_value());
  out.number(static_cast<std::uint32_t>(one.contexts.size()));
  for (const auto& [name, value] : one.contexts) out.text(name).text(value);
  return std::string(text_in(out));
}

// None: nonsense.
std::optional<KeptInteraction> read_interaction(std::string_view name, std::string_view text) {
  Reader in(bytes_in(text));
  KeptInteraction one{
      .item = std::string(name), .rating = in.number<double>(), .time_ms = in.number<std::int64_t>()};
  const bool of_old = in.remaining() == 0;
  if (!(of_old ? one.rating != no_value_kept : in.number<bool>())) one.rating.reset();
  if (!(of_old ? one.time_ms != 0 : in.number<bool>())) one.time_ms.reset();
  const std::uint32_t contexts = of_old ? 0 : in.number<std::uint32_t>();
  for (std::uint32_t n = 0; n < contexts && !in.spoiled(); ++n) {
    std::string context = in.text(most_context_name);
    one.contexts.emplace_back(std::move(context), in.text(most_context_name));
  }
  return in.finished() ? std::optional(std::move(one)) : std::nullopt;
}

// Before it is kept.
Status check(const KeptInteraction& one) {
  if (one.item.empty() || one.item.size() > most_item_name)
    return fail(Code::usage, fmt::format("an item's name has 1 to {} letters", most_item_name));
  if (one.rating && !std::isfinite(*one.rating))
    return fail(Code::usage, "a rating is a finite number, or none");
  if (one.contexts.size() > most_contexts)
    return fail(Code::usage, fmt::format("a thing has up to {} contexts", most_contexts));
  std::set<std::string_view> names;
  for (const auto& [name, value] : one.contexts) {
    if (name.empty() || value.empty() || std::max(name.size(), value.size()) > most_context_name)
      return fail(Code::usage, fmt::format("a context has a name and a value, each of 1 to {} letters",
                                           most_context_name));
    if (!names.insert(name).second) return fail(Code::usage, "a context is given twice for one thing");
  }
  return Done{};
}

}  // namespace

Error Vault::damaged(RecordKind kind) const {
  return fail(Code::bad_input, fmt::format("{}: {} in the vault cannot be read", path(), to_string(kind)));
}

Result<std::optional<Enrolment>> Vault::enrolment() {
  SOTTO_TRY(std::optional<std::string> kept, records_.get(RecordKind::identity, ""));
  if (!kept) return std::optional<Enrolment>();
  const std::string_view text(*kept);
  const std::optional<Secret> seed = secret_in(text.substr(0, sizeof(Bytes32)));
  Reader in(bytes_in(text.substr(std::min(text.size(), sizeof(Bytes32)))));
  Enrolment enrolment;
  enrolment.own_seed = in.number<std::uint64_t>();
  enrolment.index = in.number<std::uint32_t>();
  const bool whole = seed && in.finished();
  sodium_memzero(kept->data(), kept->size());
  if (!whole) return damaged(RecordKind::identity);
  enrolment.identity_seed = *seed;
  return std::optional(enrolment);
}

Result<Secret> Vault::enrolment_entropy() {
  Secret entropy;
  SOTTO_TRY_DONE(records_.transaction([&]() -> Status {
    SOTTO_TRY(std::optional<std::string> kept, records_.get(RecordKind::identity, pending));
    if (kept) {
      const std::optional<Secret> known = secret_in(*kept);
      sodium_memzero(kept->data(), kept->size());
      if (!known) return damaged(RecordKind::identity);
      entropy = *known;
      return Done{};
    }
    entropy = Secret(system_key());
    return records_.put(RecordKind::identity, pending, bytes_in(entropy));
  }));
  return entropy;
}

Status Vault::keep_enrolment(const Enrolment& enrolment) {
  Writer out;
  out.raw(std::as_bytes(std::span(enrolment.identity_seed.on_device())));
  out.number(enrolment.own_seed).number(enrolment.index);
  Bytes text = std::move(out).take();
  const Status done = records_.transaction([&]() -> Status {
    SOTTO_TRY_DONE(
        records_.put(RecordKind::identity, "", {reinterpret_cast<const char*>(text.data()), text.size()}));
    return records_.remove(RecordKind::identity, pending);
  });
  wipe(std::span(text));
  return done;
}

Status Vault::drop_enrolment() {
  return records_.transaction([&]() -> Status {
    SOTTO_TRY_DONE(records_.remove(RecordKind::identity, ""));
    return records_.remove(RecordKind::identity, pending);
  });
}

Result<PersonalPolicy> Vault::policy() {
  SOTTO_TRY(const std::optional<std::string> text, records_.get(RecordKind::policy, ""));
  return read_kept_policy(text.value_or(""), path());  // nothing chosen: closed
}

Result<std::string> Vault::homes() {
  SOTTO_TRY(std::optional<std::string> kept, records_.get(RecordKind::homes, ""));
  return std::move(kept).value_or("");
}

Status Vault::set_policy(const PersonalPolicy& policy) {
  SOTTO_TRY_DONE(check(policy));
  return records_.put(RecordKind::policy, "", to_toml(policy));
}

Status Vault::add(std::span<const KeptInteraction> interactions) {
  return records_.transaction([&]() -> Status {
    for (const KeptInteraction& one : interactions) {
      SOTTO_TRY_DONE(check(one));
      SOTTO_TRY_DONE(records_.put(RecordKind::item, one.item, encoded(one)));
    }
    return Done{};
  });
}

Result<bool> Vault::remove(const std::string& item) {
  bool there = false;
  SOTTO_TRY_DONE(records_.transaction([&]() -> Status {
    SOTTO_TRY(const std::optional<std::string> kept, records_.get(RecordKind::item, item));
    there = kept.has_value();
    return records_.remove(RecordKind::item, item);
  }));
  return there;
}

Result<std::vector<KeptInteraction>> Vault::interactions() {
  std::vector<KeptInteraction> all;
  SOTTO_TRY_DONE(
      records_.each(RecordKind::item, [&](std::string_view name, std::string_view value) -> Status {
        std::optional<KeptInteraction> one = read_interaction(name, value);
        if (!one) return damaged(RecordKind::item);
        all.push_back(std::move(*one));
        return Done{};
      }));
  std::ranges::sort(all, {}, &KeptInteraction::item);
  return all;
}

Result<std::shared_ptr<const TaskCatalogue>> Vault::catalogue(const std::string& hash) {
  if (const auto found = catalogues_.find(hash); found != catalogues_.end()) return found->second;
  SOTTO_TRY(const std::optional<std::string> packed, records_.get(RecordKind::catalogue, hash));
  if (!packed) return std::shared_ptr<const TaskCatalogue>();
  SOTTO_TRY(const std::shared_ptr<const TaskCatalogue> known, read_catalogue(*packed, most_items));
  catalogues_[hash] = known;
  return known;
}

Result<std::optional<std::string>> Vault::packed_catalogue(const std::string& hash) {
  return records_.get(RecordKind::catalogue, hash);
}

Status Vault::drop_catalogue(const std::string& hash, const std::string& of) {
  SOTTO_TRY(const std::vector<std::string> tasks, held_tasks());
  for (const std::string& task : tasks) {
    if (task == of) continue;
    SOTTO_TRY(const auto held, model(task));
    if (held != nullptr && held->catalogue == hash) return Done{};
  }
  catalogues_.erase(hash);
  return records_.remove(RecordKind::catalogue, hash);
}

Status Vault::keep_catalogue(const std::string& hash, const std::string& packed) {
  if (blob_hash(packed) != hash) return fail(Code::bad_input, "the catalogue is not what its name says");
  return records_.put(RecordKind::catalogue, hash, packed);
}

Result<std::shared_ptr<const HeldModel>> Vault::model(const std::string& task) {
  if (const auto found = models_.find(task); found != models_.end()) return found->second;
  SOTTO_TRY(const std::optional<std::string> text, records_.get(RecordKind::model, task));
  if (!text) return std::shared_ptr<const HeldModel>();
  Result<HeldModel> read = read_model(*text);
  if (!read.ok()) return damaged(RecordKind::model);
  SOTTO_TRY(const std::optional<std::string> asked, records_.get(RecordKind::task, task));
  read->task = asked.value_or("");
  const auto held = std::make_shared<const HeldModel>(std::move(*read));
  models_[task] = held;
  return std::shared_ptr<const HeldModel>(held);
}

Status Vault::keep_model(const std::string& task, std::shared_ptr<const HeldModel> model) {
  SOTTO_TRY(const auto before, this->model(task));
  const bool grew = before != nullptr && before->catalogue != model->catalogue;
  const Status kept = records_.transaction([&]() -> Status {
    SOTTO_TRY_DONE(records_.put(RecordKind::model, task, encoded(*model)));
    SOTTO_TRY_DONE(records_.put(RecordKind::task, task, model->task));
    return grew ? drop_catalogue(before->catalogue, task) : Status(Done{});
  });
  SOTTO_TRY_DONE(kept);
  models_[task] = std::move(model);
  return Done{};
}

Result<std::vector<std::string>> Vault::held_tasks() {
  std::vector<std::string> names;
  SOTTO_TRY_DONE(records_.each(RecordKind::model, [&](std::string_view name, std::string_view) -> Status {
    names.emplace_back(name);
    return Done{};
  }));
  std::ranges::sort(names);
  return names;
}

Result<std::optional<Private<RowMatrix>>> Vault::own_row(const std::string& task) {
  SOTTO_TRY(std::optional<std::string> text, records_.get(RecordKind::own_row, task));
  if (!text) return std::optional<Private<RowMatrix>>();
  auto row = read_row(*text);
  sodium_memzero(text->data(), text->size());
  if (!row) return damaged(RecordKind::own_row);
  return row;
}

Result<std::optional<std::uint32_t>> Vault::last_round(const std::string& task) {
  SOTTO_TRY(const std::optional<std::string> text, records_.get(RecordKind::last_round, task));
  if (!text) return std::optional<std::uint32_t>();
  Reader in(bytes_in(*text));
  const auto round = in.number<std::uint32_t>();
  if (!in.finished()) return damaged(RecordKind::last_round);
  return std::optional(round);
}

Status Vault::note_answer(const Answer& answer) {
  Writer round;
  round.number(answer.round);
  return records_.transaction([&]() -> Status {
    if (answer.own != nullptr)
      SOTTO_TRY_DONE(records_.put(RecordKind::own_row, answer.task, encoded(*answer.own)));
    SOTTO_TRY_DONE(records_.put(RecordKind::last_round, answer.task, text_in(round)));
    if (answer.beside) {
      Writer other;
      other.number(answer.beside->second);
      SOTTO_TRY_DONE(records_.put(RecordKind::last_round, answer.beside->first, text_in(other)));
    }
    return answer.said ? append(answer.ledger) : Status(Done{});
  });
}

Result<std::uint64_t> Vault::next_nonce(std::uint64_t at_least) {
  if (at_least > most_nonce) return fail(Code::bad_input, "the nonces have come to their end");
  SOTTO_TRY_DONE(records_.check_current());
  std::uint64_t next = std::max(nonce_, at_least) + 1;
  if (next >= nonce_limit_) {
    SOTTO_TRY_DONE(records_.transaction([&]() -> Status {
      SOTTO_TRY(const std::optional<std::string> text, records_.get(RecordKind::nonce, ""));
      if (text) {
        Reader in(bytes_in(*text));
        // All below it may have been given out.
        next = std::max(next, in.number<std::uint64_t>());
        if (!in.finished()) return damaged(RecordKind::nonce);
      }
      Writer limit;
      limit.number(next + nonce_block);
      return records_.put(RecordKind::nonce, "", text_in(limit));
    }));
    nonce_limit_ = next + nonce_block;
  }
  nonce_ = next;
  return next;
}

Result<std::optional<std::string>> Vault::note(const std::string& name) {
  return records_.get(RecordKind::note, name);
}

Status Vault::set_note(const std::string& name, const std::string& text) {
  return records_.put(RecordKind::note, name, text);
}

Status Vault::destroy(std::unique_ptr<Vault> vault) {
  const std::string path = vault->path();
  SOTTO_TRY_DONE(vault->records_.destroy());
  vault.reset();
  for (const char* ending : {"-wal", "-shm", ""})
    if (::unlink((path + ending).c_str()) != 0 && errno != ENOENT)
      return fail(Code::io,
                  fmt::format("{}{}: its key is destroyed, but the file cannot be removed", path, ending));
  return Done{};
}

}  // namespace sotto::device
