#include "engine/files/examples_files.h"

#include <array>
#include <string>

#include "engine/files/files.h"

namespace sotto::engine {
namespace {

constexpr std::array<const char*, 4> mnist_names{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                                 "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
constexpr std::array<const char*, 3> celeba_names{"identity_CelebA.txt", "list_attr_celeba.txt",
                                                  "list_eval_partition.txt"};

// A file's bytes, kept, and the view of them that readers take.
struct OpenSource {
  std::string name;
  SharedBytes bytes;

  [[nodiscard]] TextSource view() const {
    return {name, {reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()}};
  }
};

Result<OpenSource> open_source(const std::filesystem::path& folder, const std::string& name) {
  for (const char* ending : {"", ".zst"}) {
    const std::filesystem::path path = folder / (name + ending);
    SOTTO_TRY(const bool there, is_there(path));
    if (!there) continue;
    SOTTO_TRY(SharedBytes bytes, read_or_map(path));
    return OpenSource{path.string(), std::move(bytes)};
  }
  SOTTO_TRY(const bool packed, is_there(folder / (name + ".gz")));
  return fail(Code::not_found,
              folder.string() + (packed ? ": " + name + " is packed with gzip; unpack it (gunzip)"
                                        : ": there is no " + name + " (or " + name +
                                              ".zst) in it; name the folder that has the files"));
}

}  // namespace

Result<Examples> read_mnist(const std::filesystem::path& folder, const IdxOptions& options) {
  SOTTO_TRY(const OpenSource train_images, open_source(folder, mnist_names[0]));
  SOTTO_TRY(const OpenSource train_labels, open_source(folder, mnist_names[1]));
  SOTTO_TRY(const OpenSource test_images, open_source(folder, mnist_names[2]));
  SOTTO_TRY(const OpenSource test_labels, open_source(folder, mnist_names[3]));
  return read_idx({train_images.view(), train_labels.view(), test_images.view(), test_labels.view()},
                  options);
}

Result<OwnedExamples> read_celeba(const std::filesystem::path& folder, const CelebaOptions& options) {
  SOTTO_TRY(const OpenSource identities, open_source(folder, celeba_names[0]));
  SOTTO_TRY(const OpenSource attributes, open_source(folder, celeba_names[1]));
  SOTTO_TRY(const OpenSource partition, open_source(folder, celeba_names[2]));
  return read_celeba({identities.view(), attributes.view(), partition.view()}, options);
}

}  // namespace sotto::engine
