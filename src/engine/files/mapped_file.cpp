#include "engine/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>

#include "base/assert.h"
#include "engine/files/descriptor.h"

namespace sotto::engine {

namespace fs = std::filesystem;

namespace {

// What the signal handler, which can reach nothing but globals, needs to know of one mapping. `end` is
// written last and read first: while it is 0 the place is free.
struct Place {
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<const std::string*> sentence{nullptr};
};
std::array<Place, 256> places;
std::mutex places_lock;
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "a signal handler must not wait");

// A mapping that ends with its last owner. If all places are taken its loss has no sentence, no more.
class Mapping {
 public:
  Mapping(void* begin, std::size_t bytes, std::string sentence)
      : begin_(begin), bytes_(bytes), sentence_(std::move(sentence)) {
    const std::lock_guard<std::mutex> held(places_lock);
    for (Place& place : places) {
      if (place.end.load() != 0) continue;
      place.begin = reinterpret_cast<std::uintptr_t>(begin);
      place.sentence = &sentence_;
      place.end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
      place_ = &place;
      return;
    }
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (place_ != nullptr) place_->end = 0;
    ::munmap(begin_, bytes_);
  }

 private:
  void* begin_;
  std::size_t bytes_;
  std::string sentence_;
  Place* place_ = nullptr;
};

extern "C" void on_lost_page(int number, siginfo_t* facts, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(facts->si_addr);
  for (const Place& place : places) {
    if (address >= place.end.load() || address < place.begin.load()) continue;
    const std::string& sentence = *place.sentence.load();
    if (::write(STDERR_FILENO, sentence.data(), sentence.size()) < 0) ::_exit(1);
    ::_exit(1);
  }
  ::signal(number, SIG_DFL);  // none of ours: the instruction is tried again and ends as ever
}

// A nameless file of `bytes` bytes that the disk really has.
Result<int> make_scratch(const fs::path& folder, std::uint64_t bytes) {
  int number = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (number < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    // Not every file system can: then a name that is taken away at once.
    std::string pattern = (folder / ".sotto-scratch-XXXXXX").string();
    number = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (number >= 0) ::unlink(pattern.c_str());
  }
  if (number < 0) return system_error("make a scratch file in", folder, errno);
  Descriptor file(number);
  const int trouble = ::posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
  if (trouble == ENOSPC || trouble == EFBIG) {
    struct statvfs disk {};
    const bool known = ::fstatvfs(file.number(), &disk) == 0;
    return fail(
        Code::io,
        fmt::format(
            "the private rows need {:.2f} GB of scratch space and '{}' has {:.2f} GB free: name "
            "another folder with --scratch, or lower --factors",
            static_cast<double>(bytes) / 1e9, folder.string(),
            known ? static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / 1e9 : 0.0));
  }
  if (trouble != 0) return system_error("make a scratch file in", folder, trouble);
  return file.release();
}

}  // namespace

Result<SharedBytes> map_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return system_error("read", path, errno);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) return system_error("read", path, errno);
  if (S_ISDIR(facts.st_mode))
    return fail(Code::bad_input, fmt::format("'{}' is a folder where a file is needed", path.string()));
  if (!S_ISREG(facts.st_mode))
    return fail(Code::bad_input, fmt::format("'{}' is not a plain file", path.string()));
  const auto bytes = static_cast<std::size_t>(facts.st_size);
  if (bytes == 0) return SharedBytes{};
  void* begin = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.number(), 0);
  if (begin == MAP_FAILED) return system_error("map", path, errno);
  auto owner = std::make_shared<const Mapping>(
      begin, bytes,
      fmt::format(
          "sotto: '{}' was cut short, or could not be read, while it was in use: make it again and leave "
          "it alone while it is used\n",
          path.string()));
  return SharedBytes{{static_cast<const std::byte*>(begin), bytes}, std::move(owner)};
}

Result<std::unique_ptr<ScratchStorage>> ScratchStorage::make(const fs::path& folder, std::uint64_t bytes) {
  SOTTO_ASSERT(bytes > 0, "a scratch file holds something");
  SOTTO_TRY(const int number, make_scratch(folder, bytes));
  const Descriptor file(number);
  void* begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (begin == MAP_FAILED) return system_error("map a scratch file in", folder, errno);
  auto mapping = std::make_shared<const Mapping>(
      begin, bytes,
      fmt::format("sotto: the scratch file in '{}' could not be read or written: is the disk in order?\n",
                  folder.string()));
  return std::unique_ptr<ScratchStorage>(
      new ScratchStorage(static_cast<std::byte*>(begin), bytes, std::move(mapping)));
}

ScratchStorage::~ScratchStorage() = default;

Storage::Block ScratchStorage::take(std::size_t bytes) {
  const std::size_t whole = (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
  if (whole < bytes || whole > left_) return from_heap(bytes);
  std::byte* block = next_;
  next_ += whole;
  left_ -= whole;
  return {std::const_pointer_cast<void>(mapping_), block};  // it keeps the mapping, wherever this object is
}

MappingGuard::MappingGuard() {
  struct sigaction action {};
  action.sa_sigaction = on_lost_page;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &before_);
}

MappingGuard::~MappingGuard() { ::sigaction(SIGBUS, &before_, nullptr); }

}  // namespace sotto::engine
