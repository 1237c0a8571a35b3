// The C library: what the person gets from their device, offline.
#include <nlohmann/json.hpp>

#include "device/c/device_handle.h"
#include "device/export_data.h"
#include "device/item_titles.h"
#include "device/recommend.h"

namespace sotto::device {

namespace {

Result<LocalRecommender> recommender(Vault& vault, const char* task) {
  if (task != nullptr) return LocalRecommender::load(vault, task);
  SOTTO_TRY(const std::string only, only_task(vault));
  return LocalRecommender::load(vault, only);
}

}  // namespace

}  // namespace sotto::device

using namespace sotto::device;  // NOLINT: the functions below are C's

sotto_status sotto_recommend(sotto_device* device, const char* task, size_t count, sotto_item_fn each,
                             void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (each == nullptr) return fail(Code::usage, "a callback is needed, not NULL");
    SOTTO_TRY(const LocalRecommender model, recommender(*own.vault, task));
    for (const Recommended& one : model.top(count)) each(user_data, one.item.c_str(), double{one.score});
    return Done{};
  });
}

sotto_status sotto_describe(sotto_device* device, const char* task, const char* item,
                            sotto_description_fn each, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const std::string name, given(item, "an item"));
    if (each == nullptr) return fail(Code::usage, "a callback is needed, not NULL");
    SOTTO_TRY(const ItemTitles titles, ItemTitles::load(*own.vault));
    const auto found = titles.describe(name, task != nullptr ? task : "");
    if (!found) return fail(Code::not_found, "no catalogue on this device has this item");
    const sotto_description description{.size = sizeof(sotto_description),
                                        .title = found->title.c_str(),
                                        .categories = found->categories.c_str(),
                                        .picture = found->picture.c_str()};
    each(user_data, &description);
    return Done{};
  });
}

sotto_status sotto_explain(sotto_device* device, const char* task, const char* item, size_t most,
                           sotto_text_fn words, sotto_item_fn because, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const std::string name, given(item, "an item"));
    SOTTO_TRY(const LocalRecommender model, recommender(*own.vault, task));
    SOTTO_TRY(const Explanation why, model.explain(name, most));
    const std::string text = in_words(why);
    if (words != nullptr) words(user_data, text.c_str(), text.size());
    if (because != nullptr)
      for (const NearItem& near : why.because) because(user_data, near.item.c_str(), double{near.weight});
    return Done{};
  });
}

sotto_status sotto_ledger(sotto_device* device, const char* public_key, sotto_text_fn line, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const KeptLedger kept, own.vault->ledger());
    const std::string key = public_key != nullptr ? public_key : kept.public_key;
    SOTTO_TRY(const LedgerReading reading, read_ledger(kept.lines, kept.head, key));
    if (line == nullptr) return Done{};  // asked only whether it verifies
    for (const LedgerEntry& entry : reading.entries) {
      const std::string text = json_text(entry_json(entry), -1);
      line(user_data, text.c_str(), text.size());
    }
    return Done{};
  });
}

sotto_status sotto_export(sotto_device* device, sotto_text_fn document, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (document == nullptr) return fail(Code::usage, "a callback is needed, not NULL");
    SOTTO_TRY(const std::string text, export_json(*own.vault));
    document(user_data, text.c_str(), text.size());
    return Done{};
  });
}
