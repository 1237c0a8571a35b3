#include "engine/plan/prepare.h"

#include <chrono>

#include "data/item_labels.h"
#include "data/kg/label_features.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"

namespace sotto::engine {

namespace {

Result<LoadOptions> load_options(const DataRequest& request) {
  LoadOptions options{.columns = request.columns};
  if (!request.rating_scale.empty()) {
    SOTTO_TRY(options.scale, parse_rating_scale(request.rating_scale));
  }
  return options;
}

template <class Labelled>
Status attach_names(const std::vector<std::string>& names, Labelled& data) {
  for (const std::string& path : names) {
    SOTTO_TRY(const std::string text, read_text(path));
    SOTTO_TRY(const ItemLabels labels, load_item_labels({path, text}));
    if (attach_item_labels(labels, data) == 0)
      return fail(Code::bad_input,
                  path + ": none of its items is in the data: is it the right file for --names?");
  }
  return Done{};
}

// What is known about the items, if that was asked for.
template <class Labelled>
Result<std::shared_ptr<const Knowledge>> knowledge_of(const KnowledgeRequest& request, const Labelled& data) {
  if (!request.asked()) return std::shared_ptr<const Knowledge>();
  Knowledge knowledge;
  knowledge.filter = feature_filter(request);
  if (!request.paths.empty()) {
    SOTTO_TRY(knowledge, load_knowledge(request, data.items));
  }
  if (request.labels) add_label_features(data.items, data.item_names, data.item_categories, knowledge.list);
  return std::make_shared<const Knowledge>(std::move(knowledge));
}

Result<Filtered> keep_known(Dataset dataset, const Knowledge& knowledge) {
  const ItemFeatures features(knowledge.list, dataset.items, knowledge.filter);
  std::vector<std::uint8_t> known;
  for (std::uint32_t item = 0; item < dataset.items.size(); ++item)
    known.push_back(features.of({item}).empty() ? 0 : 1);
  return keep_items(std::move(dataset), known, "items with features");
}

Result<Split> join_parts(const DataRequest& request, std::shared_ptr<const Knowledge>& knowledge) {
  SOTTO_TRY(const LoadedData train, load_data(request));
  knowledge = train.knowledge;
  Dataset validation;
  SOTTO_TRY(const LoadOptions options, load_options(request));
  if (!request.validation.empty()) {
    SOTTO_TRY(validation, load_interaction_files(request.validation, options));
  }
  SOTTO_TRY(const Dataset test, load_interaction_files(request.test, options));
  return join_given_parts(train.dataset, validation, test, request.split);
}

}  // namespace

Result<Dataset> load_interaction_files(const std::vector<std::string>& paths, const LoadOptions& options,
                                       std::vector<std::string>* files_read) {
  SOTTO_TRY(const std::vector<std::filesystem::path> files, data_files(paths));
  std::vector<SharedBytes> texts;  // plain files are mapped, so that only packed ones take memory
  std::vector<TextSource> sources;
  for (const auto& file : files) {
    SOTTO_TRY(SharedBytes text, read_or_map(file));
    sources.push_back({file.string(), {reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()}});
    texts.push_back(std::move(text));
    if (files_read != nullptr) files_read->push_back(file.string());
  }
  return load_interactions(sources, options);
}

Result<LoadedData> load_data(const DataRequest& request) {
  LoadedData loaded;
  SOTTO_TRY(const LoadOptions options, load_options(request));
  SOTTO_TRY(loaded.dataset, load_interaction_files(request.paths, options, &loaded.files));
  SOTTO_TRY_DONE(attach_names(request.names, loaded.dataset));
  SOTTO_TRY(loaded.knowledge, knowledge_of(request.kg, loaded.dataset));
  if (loaded.knowledge && request.kg.only_known) {
    SOTTO_TRY(Filtered known, keep_known(std::move(loaded.dataset), *loaded.knowledge));
    loaded.dataset = std::move(known.dataset);
    loaded.filtered = std::move(known.steps);
  }
  SOTTO_TRY(Filtered filtered, filter_dataset(std::move(loaded.dataset), request.filter));
  loaded.dataset = std::move(filtered.dataset);
  loaded.filtered.insert(loaded.filtered.end(), filtered.steps.begin(), filtered.steps.end());
  return loaded;
}

Result<std::shared_ptr<const Knowledge>> know_items(const std::vector<std::string>& names,
                                                    const KnowledgeRequest& kg, Split& split) {
  SOTTO_TRY_DONE(attach_names(names, split));
  return knowledge_of(kg, split);
}

Result<Prepared> prepare(const DataRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  Prepared prepared;
  if (request.examples.wanted) {
    SOTTO_TRY(auto examples, read_examples(request));
    SOTTO_TRY(prepared.split, deal_examples(request, std::move(examples)));
  } else if (!request.split_file.empty()) {
    SOTTO_TRY(prepared.split, open_split_file(request.split_file));
    SOTTO_TRY(prepared.knowledge, know_items(request.names, request.kg, prepared.split));
  } else if (!request.test.empty()) {
    SOTTO_TRY(prepared.split, join_parts(request, prepared.knowledge));
  } else {
    SOTTO_TRY(LoadedData loaded, load_data(request));
    prepared.filtered = std::move(loaded.filtered);
    prepared.repeated = loaded.dataset.repeated;
    prepared.knowledge = std::move(loaded.knowledge);
    SOTTO_TRY(prepared.split, split_dataset(loaded.dataset, request.split));
  }
  if (prepared.knowledge) {
    SOTTO_TRY(prepared.features, attach_features(*prepared.knowledge, prepared.split));
  }
  SOTTO_TRY_DONE(attach_contexts(request.contexts, prepared.split));
  prepared.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return prepared;
}

}  // namespace sotto::engine
