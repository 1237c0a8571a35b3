// The C library: what the person has and says of themself.
#include <cstring>

#include "device/asked_attributes.h"
#include "device/c/device_handle.h"

namespace sotto::device {

namespace {

// What version 0.1.0 took for no rating and no time.
constexpr double no_rating_given = 1.0;
constexpr std::int64_t no_time_given = 0;

// A record of a program that was compiled with an older, shorter one, or with a newer one. The members up to
// `contexts` are in every version.
Result<KeptInteraction> record_given(const std::byte* at, std::size_t size) {
  sotto_record record{};
  std::memcpy(&record, at, std::min(size, sizeof record));
  SOTTO_TRY(const std::string item, given(record.item, "an item"));
  KeptInteraction one{.item = item};
  if (record.has_rating != 0) one.rating = record.rating;
  if (record.has_time != 0) one.time_ms = record.time_ms;
  if (record.contexts == nullptr && record.context_count > 0)
    return fail(Code::usage, "contexts are needed, not NULL");
  for (std::size_t n = 0; n < record.context_count; ++n) {
    SOTTO_TRY(const std::string name, given(record.contexts[n].name, "a context's name"));
    SOTTO_TRY(const std::string value, given(record.contexts[n].value, "a context's value"));
    one.contexts.emplace_back(name, value);
  }
  return one;
}

}  // namespace

}  // namespace sotto::device

using namespace sotto::device;  // NOLINT: the functions below are C's

sotto_status sotto_add_interaction(sotto_device* device, const char* item, double value, int64_t time_ms) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const std::string name, given(item, "an item"));
    KeptInteraction one{.item = name};
    if (value != no_rating_given) one.rating = value;
    if (time_ms != no_time_given) one.time_ms = time_ms;
    return own.vault->add(std::span(&one, 1));
  });
}

sotto_status sotto_remove_interaction(sotto_device* device, const char* item) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const std::string name, given(item, "an item"));
    SOTTO_TRY(const bool there, own.vault->remove(name));
    if (!there) return fail(Code::not_found, "there is no such item on this device");
    return Done{};
  });
}

sotto_status sotto_add_records(sotto_device* device, const sotto_record* records, size_t count) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (count == 0) return Done{};
    if (records == nullptr) return fail(Code::usage, "records are needed, not NULL");
    // The first version's; a later one only adds to it.
    constexpr std::size_t least = offsetof(sotto_record, context_count) + sizeof(sotto_record::context_count);
    const std::size_t size = records->size;
    if (size < least || size % alignof(sotto_record) != 0)
      return fail(Code::usage, "a record's size is sizeof(sotto_record)");
    std::vector<KeptInteraction> all;
    const auto* at = reinterpret_cast<const std::byte*>(records);
    for (std::size_t n = 0; n < count; ++n, at += size) {
      SOTTO_TRY(KeptInteraction one, record_given(at, size));
      all.push_back(std::move(one));
    }
    return own.vault->add(all);
  });
}

sotto_status sotto_records(sotto_device* device, sotto_record_fn each, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (each == nullptr) return fail(Code::usage, "a callback is needed, not NULL");
    SOTTO_TRY(const std::vector<KeptInteraction> all, own.vault->interactions());
    for (const KeptInteraction& one : all) {
      std::vector<sotto_context> contexts;
      for (const auto& [name, value] : one.contexts) contexts.push_back({name.c_str(), value.c_str()});
      const sotto_record record{.size = sizeof(sotto_record),
                                .item = one.item.c_str(),
                                .rating = one.rating.value_or(0.0),
                                .time_ms = one.time_ms.value_or(0),
                                .has_rating = one.rating.has_value() ? 1 : 0,
                                .has_time = one.time_ms.has_value() ? 1 : 0,
                                .contexts = contexts.empty() ? nullptr : contexts.data(),
                                .context_count = contexts.size()};
      each(user_data, &record);
    }
    return Done{};
  });
}

sotto_status sotto_set_attribute(sotto_device* device, const char* name, const char* value) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const std::string called, given(name, "an attribute's name"));
    if (value != nullptr && *value == '\0')
      return fail(Code::usage, "a value is needed, or NULL to remove what was said");
    const Attribute one{called, value != nullptr ? value : ""};
    return say_attributes(*own.vault, std::span(&one, 1));
  });
}

sotto_status sotto_attributes(sotto_device* device, int asked, sotto_attribute_fn each, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (each == nullptr) return fail(Code::usage, "a callback is needed, not NULL");
    SOTTO_TRY(const Attributes all, asked != 0 ? asked_attributes(*own.vault) : own.vault->attributes());
    for (const auto& [name, value] : all) each(user_data, name.c_str(), value.c_str());
    return Done{};
  });
}
