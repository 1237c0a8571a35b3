// A small model with names, a private row and some interactions, for the device's tests.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "device/device_store.h"
#include "device/vault.h"
#include "fed/wire/catalogue.h"
#include "fed/wire/published_model.h"

namespace sotto::device {

class VaultWorld {
 public:
  static constexpr std::size_t items = 40;
  static constexpr std::size_t width = 5;  // four factors and a bias

  explicit VaultWorld(v1::Precision precision = v1::PRECISION_F32) : own_(1, width) {
    RowMatrix master(items, width);
    for (std::size_t r = 0; r < items; ++r)
      for (std::size_t k = 0; k < width; ++k)
        master.row(r)[k] = static_cast<float>(std::sin(static_cast<double>(1 + r * width + k)));
    std::string names;
    for (std::size_t r = 0; r < items; ++r) names += "item " + std::to_string(r) + "\n";
    packed_names_ = pack_catalogue(names);
    auto held = std::make_shared<HeldModel>();
    held->encoded = publish(master, precision);
    held->version = blob_hash(held->encoded);
    held->rows = as_published(master, precision);
    held->catalogue = blob_hash(packed_names_);
    model_ = std::move(held);
    for (std::size_t k = 0; k < width; ++k)
      own_.row(0)[k] = k + 1 == width ? 1.0f : 0.5f - 0.25f * static_cast<float>(k);
  }

  [[nodiscard]] const std::shared_ptr<const HeldModel>& model() const { return model_; }
  [[nodiscard]] const std::string& packed_names() const { return packed_names_; }
  [[nodiscard]] const RowMatrix& own() const { return own_; }
  [[nodiscard]] std::vector<std::string> had() const { return {"item 12", "item 3", "item 30", "item 7"}; }

  [[nodiscard]] std::vector<KeptExample> examples() const {
    std::vector<KeptExample> all(3, {.collection = "digits", .height = 2, .width = 3});
    for (std::uint32_t n = 0; n < all.size(); ++n) {
      all[n].name = "picture " + std::to_string(n);
      all[n].label = n + 250;
      all[n].values = {1, 2, 3, 4, 5, static_cast<std::uint8_t>(n)};
    }
    all[1].mark = true;
    all[2].mark = false;
    return all;
  }

  [[nodiscard]] Attributes says() const { return {{"age", "25-34"}, {"occupation", "student"}}; }

  // Everything that an exchange would have left; the private row is own().
  [[nodiscard]] Status fill(Vault& vault, const std::string& task, std::uint32_t round) const {
    SOTTO_TRY_DONE(vault.keep_catalogue(model_->catalogue, packed_names_));
    SOTTO_TRY_DONE(vault.keep_model(task, model_));
    std::vector<KeptInteraction> interactions;
    for (const std::string& item : had()) interactions.push_back({item, 1.0, 1000});
    SOTTO_TRY_DONE(vault.add(interactions));
    SOTTO_TRY_DONE(vault.add(examples()));
    SOTTO_TRY_DONE(vault.say(says()));
    Private<RowMatrix> own(own_);
    return vault.note_answer({.task = task, .round = round, .own = &own, .ledger = entry(task, round)});
  }
  // One more answer; the row begins with its round.
  [[nodiscard]] Status answer(Vault& vault, const std::string& task, std::uint32_t round) const {
    Private<RowMatrix> own(own_);
    own.on_device().row(0)[0] = static_cast<float>(round);
    return vault.note_answer({.task = task, .round = round, .own = &own, .ledger = entry(task, round)});
  }

 private:
  [[nodiscard]] static LedgerEntry entry(const std::string& task, std::uint32_t round) {
    return {.round = round, .task = task, .mechanism = "plain", .bytes = 100, .items = {"item 3"}};
  }

  std::shared_ptr<const HeldModel> model_;
  std::string packed_names_;
  RowMatrix own_;
};

}  // namespace sotto::device
