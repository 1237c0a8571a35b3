#include "device/model_fetch.h"

#include "device/memory_device_store.h"

namespace sotto::device {

namespace {

// What packing may add to bytes that do not pack, with much to spare.
std::uint64_t most_packed(const ModelShape& shape) {
  const std::uint64_t plain = published_bytes(shape);
  return plain + plain / 64 + (1u << 16);
}

bool fits(const HeldModel& model, const ModelShape& shape) {
  return model.has_version() && model.rows.rows() == shape.rows && model.rows.width() == shape.width &&
         model.encoded.size() == published_bytes(shape);
}

// Of a task that grew since.
bool fits_with_more_rows(const HeldModel& model, ModelShape shape) {
  if (model.rows.rows() >= shape.rows) return false;
  shape.rows = model.rows.rows();
  return fits(model, shape);
}

// The same version, of the task as it is now.
std::shared_ptr<const HeldModel> held_for(const v1::TaskSpec& spec, std::shared_ptr<const HeldModel> held) {
  if (held->spec == spec_name(spec)) return held;
  HeldModel made = *no_version_of(spec);
  made.version = held->version;
  made.encoded = held->encoded;
  made.rows = held->rows;
  return std::make_shared<const HeldModel>(std::move(made));
}

}  // namespace

ModelShape shape_of(const Task& task) {
  return {.rows = task.shape().rows, .width = task.shape().width, .precision = task.down};
}

std::string spec_name(const v1::TaskSpec& spec) { return blob_hash(spec.SerializeAsString()); }

std::shared_ptr<const HeldModel> no_version_of(const v1::TaskSpec& spec) {
  HeldModel made;
  made.spec = spec_name(spec);
  made.task = spec.SerializeAsString();
  made.catalogue = spec.catalogue().hash();
  return std::make_shared<const HeldModel>(std::move(made));
}

ModelFetch::ModelFetch(v1::Assignment assignment, const Task& task, std::shared_ptr<const HeldModel> held,
                       SharedShelf* shelf)
    : assignment_(std::move(assignment)), shape_(shape_of(task)), held_(std::move(held)), shelf_(shelf) {}

Result<ModelFetch> ModelFetch::begin(v1::Assignment assignment, const Task& task,
                                     std::shared_ptr<const HeldModel> held, SharedShelf* shelf) {
  ModelFetch fetch(std::move(assignment), task, std::move(held), shelf);
  const v1::Assignment& given = fetch.assignment_;
  const std::uint64_t most = most_packed(fetch.shape_);
  if (given.version().size() != sizeof(Bytes32) || !fetchable(given.full(), most))
    return fail(Code::bad_input, "the model is refused: it has no proper name, or is larger than its task's");
  const bool smaller = fetch.held_ != nullptr && fits_with_more_rows(*fetch.held_, fetch.shape_);
  if (fetch.held_ != nullptr && !smaller && !fits(*fetch.held_, fetch.shape_)) fetch.held_ = nullptr;
  if (fetch.held_ != nullptr && !smaller && fetch.held_->version == given.version()) {
    fetch.model_ = held_for(given.task(), fetch.held_);
    return fetch;
  }
  if (smaller) fetch.base_ = with_rows(fetch.held_->encoded, fetch.shape_);
  const bool by_delta = fetch.held_ != nullptr && given.has_delta() && fetchable(given.delta(), most);
  fetch.download_ = by_delta ? Download::delta : Download::full;
  fetch.blob_.emplace(by_delta ? given.delta() : given.full());
  return fetch;
}

bool ModelFetch::fall_back() {
  if (download_ != Download::delta) return false;
  download_ = Download::full;
  blob_.emplace(assignment_.full());
  return true;
}

Result<std::string> ModelFetch::unpack(const std::string& blob) const {
  if (download_ == Download::delta) return apply_delta(base_.empty() ? held_->encoded : base_, blob, shape_);
  return unpack_model(blob, shape_);
}

Status ModelFetch::complete() {
  SOTTO_TRY(const std::string blob, std::move(*blob_).finish());
  if (shelf_ != nullptr) {
    auto known = shelf_->model(assignment_.version());
    const bool same = known != nullptr && known->spec == spec_name(assignment_.task());
    if (same && fits(*known, shape_)) return model_ = std::move(known), Done{};
  }
  HeldModel made = *no_version_of(assignment_.task());
  made.version = assignment_.version();
  SOTTO_TRY(made.encoded, unpack(blob));
  if (blob_hash(made.encoded) != made.version)
    return fail(Code::bad_input, "the model is refused: it is not the version that was named");
  SOTTO_TRY(made.rows, read_published(made.encoded, shape_));
  model_ = std::make_shared<const HeldModel>(std::move(made));
  return Done{};
}

Status ModelFetch::take(const std::string& reply) {
  Status taken = blob_->take(reply);
  if (taken.ok() && blob_->complete()) taken = complete();
  if (!taken.ok() && fall_back()) return Done{};
  return taken;
}

}  // namespace sotto::device
