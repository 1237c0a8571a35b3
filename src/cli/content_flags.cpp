#include "cli/content_flags.h"

namespace sotto {

void add_content_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  constexpr const char* group = "Models of content";
  const auto weights = [&](const char* name, const char* help, FeatureWeights VsmOptions::*member) {
    add_edit<std::string>(app, edits, name, help,
                          [member](TrainRequest& request, const std::string& value) -> Status {
                            SOTTO_TRY(request.content.*member, parse_feature_weights(value));
                            return Done{};
                          })
        ->type_name("KIND")
        ->default_str(to_string(VsmOptions{}.*member))
        ->group(group);
  };
  weights("--user-weights", "what features weigh in people's profiles (vsm): tfidf or binary",
          &VsmOptions::users);
  weights("--item-weights", "what features weigh in items (vsm): tfidf or binary", &VsmOptions::items);
  add_edit<std::string>(app, edits, "--profile-rule",
                        "a feature's weight is a mean over the items that have it (mean) or over all "
                        "(centroid; vsm, kahfm)",
                        [](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(request.content.profile, parse_profile_rule(value));
                          return Done{};
                        })
      ->type_name("RULE")
      ->default_str(to_string(VsmOptions{}.profile))
      ->group(group);
}

}  // namespace sotto
