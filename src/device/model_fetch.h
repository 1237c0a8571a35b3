// ModelFetch: how the version of an assignment comes to the device: it is held already, or made of the held
// one and a delta, or fetched in full.
//
// Laws: what it gives has the hash that names the version and the task's shape; a delta that cannot be had or
// does not fit is no failure: the model is fetched in full then. Nothing larger than the shape allows is
// fetched or held.
#pragma once

#include <optional>

#include "device/blob_fetch.h"
#include "device/exchange.h"
#include "fed/models/task.h"
#include "fed/wire/published_model.h"

namespace sotto::device {

class ModelFetch {
 public:
  // `held` is what the device has of the task, or null; `shelf` may be null. An assignment whose model cannot
  // be fetched is refused.
  [[nodiscard]] static Result<ModelFetch> begin(v1::Assignment assignment, const Task& task,
                                                std::shared_ptr<const HeldModel> held, SharedShelf* shelf);

  // None until it is complete.
  [[nodiscard]] const std::shared_ptr<const HeldModel>& model() const { return model_; }
  [[nodiscard]] Download download() const { return download_; }
  // The encoded FetchRequest that is due.
  [[nodiscard]] std::string next() const { return blob_->next(); }
  [[nodiscard]] Status take(const std::string& reply);
  // A delta that is not to be had: the rest goes in full. False: it is in full already.
  [[nodiscard]] bool fall_back();

 private:
  ModelFetch(v1::Assignment assignment, const Task& task, std::shared_ptr<const HeldModel> held,
             SharedShelf* shelf);
  [[nodiscard]] Status complete();
  [[nodiscard]] Result<std::string> unpack(const std::string& blob) const;

  v1::Assignment assignment_;
  ModelShape shape_;
  std::shared_ptr<const HeldModel> held_;
  std::string base_;  // what a delta is from: the held encoding, with rows for items that came since
  SharedShelf* shelf_;
  Download download_ = Download::held;
  std::optional<BlobFetch> blob_;
  std::shared_ptr<const HeldModel> model_;
};

// What a device holds of a task before it has a version of its model.
[[nodiscard]] std::shared_ptr<const HeldModel> no_version_of(const v1::TaskSpec& spec);
[[nodiscard]] ModelShape shape_of(const Task& task);
// The name of a task's spec, which is another one where the task grew.
[[nodiscard]] std::string spec_name(const v1::TaskSpec& spec);

}  // namespace sotto::device
