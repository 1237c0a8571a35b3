// N-Triples and Turtle, by serd (docs/adr/0021-knowledge-graphs.md says how and why).
#include <serd/serd.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "data/kg/statement.h"

namespace sotto::data {

namespace {

struct FreeReader {
  void operator()(SerdReader* reader) const { serd_reader_free(reader); }
};
struct FreeEnvironment {
  void operator()(SerdEnv* environment) const { serd_env_free(environment); }
};

std::string_view text_of(const SerdNode* node) {
  return {reinterpret_cast<const char*>(node->buf), node->n_bytes};
}
std::string_view text_of(const SerdChunk& chunk) {
  return {reinterpret_cast<const char*>(chunk.buf), chunk.len};
}

// What serd says about an error, without what it quotes of the file.
std::string message_of(const SerdError& error) {
  return std::string("not a valid triple: ") + reinterpret_cast<const char*>(serd_strerror(error.status));
}

// One file on its way through serd, which calls back with each statement and each error.
class RdfReader {
 public:
  explicit RdfReader(SerdSyntax syntax)
      : environment_(serd_env_new(nullptr)),
        reader_(serd_reader_new(syntax, this, nullptr, on_base, on_prefix, on_statement, nullptr)) {
    SOTTO_ASSERT(environment_ && reader_, "serd has memory for a reader");
    serd_reader_set_error_sink(reader_.get(), on_error, this);
  }
  RdfReader(const RdfReader&) = delete;
  RdfReader& operator=(const RdfReader&) = delete;
  virtual ~RdfReader() = default;

 protected:
  using Terms = std::array<Term, 3>;
  virtual void take(const Terms& terms) = 0;
  virtual void refuse(const std::string& what) = 0;
  [[nodiscard]] SerdReader* reader() const { return reader_.get(); }

 private:
  static RdfReader& self(void* handle) { return *static_cast<RdfReader*>(handle); }

  static SerdStatus on_base(void* handle, const SerdNode* uri) {
    return serd_env_set_base_uri(self(handle).environment_.get(), uri);
  }
  static SerdStatus on_prefix(void* handle, const SerdNode* name, const SerdNode* uri) {
    return serd_env_set_prefix(self(handle).environment_.get(), name, uri);
  }
  static SerdStatus on_error(void* handle, const SerdError* error) {
    self(handle).refuse(message_of(*error));
    return SERD_SUCCESS;
  }
  static SerdStatus on_statement(void* handle, SerdStatementFlags, const SerdNode*, const SerdNode* subject,
                                 const SerdNode* predicate, const SerdNode* object, const SerdNode*,
                                 const SerdNode*) {
    RdfReader& file = self(handle);
    const std::array<const SerdNode*, 3> nodes{subject, predicate, object};
    Terms terms;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (file.term_of(nodes[n], file.expanded_[n], terms[n])) continue;
      file.refuse("a prefix or a base is not declared");
      return SERD_SUCCESS;
    }
    file.take(terms);
    return SERD_SUCCESS;
  }

  // False: the name cannot be written out in full.
  bool term_of(const SerdNode* node, std::string& room, Term& term) const {
    if (node->type == SERD_LITERAL || node->type == SERD_BLANK) {
      term = {node->type == SERD_LITERAL ? TermKind::literal : TermKind::blank, text_of(node)};
      return true;
    }
    term = {TermKind::uri, text_of(node)};
    if (node->type == SERD_URI && serd_uri_string_has_scheme(node->buf)) return true;
    if (node->type == SERD_CURIE) {
      SerdChunk prefix, suffix;
      if (serd_env_expand(environment_.get(), node, &prefix, &suffix) != SERD_SUCCESS) return false;
      room.assign(text_of(prefix)).append(text_of(suffix));
    } else {
      SerdNode full = serd_env_expand_node(environment_.get(), node);
      room.assign(full.buf != nullptr ? text_of(&full) : std::string_view());
      serd_node_free(&full);
    }
    term.text = room;
    return !room.empty();
  }

  std::unique_ptr<SerdEnv, FreeEnvironment> environment_;
  std::unique_ptr<SerdReader, FreeReader> reader_;
  std::array<std::string, 3> expanded_;
};

// Line by line: a triple is passed on when its line is known to be whole.
class LineOfTriples : public RdfReader {
 public:
  LineOfTriples(std::uint32_t file, const StatementSink& sink)
      : RdfReader(SERD_NTRIPLES), writer_(file, sink) {
    serd_reader_set_strict(reader(), true);
  }

  // What is wrong with the line, or nothing.
  [[nodiscard]] std::string read(std::string_view line) {
    if (line.find('\0') != std::string_view::npos) return "a zero byte";
    fault_.clear();
    kept_ = 0;
    line_.assign(line).push_back('\n');
    serd_reader_read_string(reader(), reinterpret_cast<const std::uint8_t*>(line_.c_str()));
    if (fault_.empty() && kept_ > 1) return "more than one triple";
    if (!fault_.empty() || kept_ == 0) return fault_;
    const char* fault = writer_.put(view(0), view(1), view(2));
    return fault != nullptr ? fault : "";
  }

 private:
  void take(const Terms& terms) override {
    for (std::size_t n = 0; n < terms.size(); ++n) {
      kinds_[n] = terms[n].kind;
      texts_[n].assign(terms[n].text);
    }
    ++kept_;
  }
  void refuse(const std::string& what) override {
    if (fault_.empty()) fault_ = what;
  }
  [[nodiscard]] Term view(std::size_t n) const { return {kinds_[n], texts_[n]}; }

  StatementWriter writer_;
  std::array<TermKind, 3> kinds_{};
  std::array<std::string, 3> texts_;
  std::size_t kept_ = 0;
  std::string fault_, line_;
};

class TurtleText : public RdfReader {
 public:
  TurtleText(NamedSource source, std::uint32_t file, BrokenLines& broken, const StatementSink& sink)
      : RdfReader(SERD_TURTLE), source_(std::move(source)), broken_(broken), writer_(file, sink) {
    serd_reader_set_strict(reader(), false);  // goes on after an error
  }

  [[nodiscard]] Status read() {
    // Byte by byte: only so is it known which line serd has come to.
    const auto* name = reinterpret_cast<const std::uint8_t*>(source_.name.c_str());
    serd_reader_read_source(reader(), next_byte, failed, this, name, 1);
    if (failure_) return *failure_;
    return Done{};
  }

 private:
  void take(const Terms& terms) override {
    if (failure_ || refused_line_ == line_) return;
    if (const char* fault = writer_.put(terms[0], terms[1], terms[2])) refuse(fault);
  }
  void refuse(const std::string& what) override {
    if (failure_ || refused_line_ == line_) return;  // a line is broken once
    refused_line_ = line_;
    if (const Status added = broken_.add(source_.name, line_, what); !added.ok()) failure_ = added.error();
  }

  static int failed(void*) { return 0; }
  static std::size_t next_byte(void* byte, std::size_t, std::size_t, void* stream) {
    return static_cast<TurtleText*>(stream)->next(static_cast<char*>(byte));
  }
  std::size_t next(char* byte) {
    if (at_ == size_ && !fill()) {
      // Where the text ends inside a statement, serd looks for what ends it, for ever: it gets one after the
      // other, and each time the end again.
      constexpr std::string_view closing = "\n>\n\"\n'\n.\n";
      *byte = closing[past_end_ / 2 % closing.size()];
      return past_end_++ % 2;
    }
    line_ += after_line_end_ ? 1 : 0;
    *byte = buffer_[at_++];
    after_line_end_ = *byte == '\n';
    return 1;
  }
  bool fill() {
    if (failure_ || past_end_ > 0) return false;
    auto got = source_.bytes(buffer_);
    if (!got.ok()) failure_ = got.error();
    at_ = 0;
    size_ = got.ok() ? *got : 0;
    return size_ > 0;
  }

  NamedSource source_;
  BrokenLines& broken_;
  StatementWriter writer_;
  std::optional<Error> failure_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
  std::size_t at_ = 0, size_ = 0, past_end_ = 0;
  std::size_t line_ = 1, refused_line_ = 0;
  bool after_line_end_ = false;
};

}  // namespace

Status read_ntriples(NamedSource source, std::uint32_t file, BrokenLines& broken, const StatementSink& sink) {
  LineOfTriples triples(file, sink);
  LineStream lines(std::move(source));
  std::string_view line;
  while (true) {
    SOTTO_TRY(const bool more, lines.next(line));
    if (!more) return Done{};
    if (const std::string fault = triples.read(line); !fault.empty())
      SOTTO_TRY_DONE(broken.add(lines.name(), lines.number(), fault));
  }
}

Status read_turtle(NamedSource source, std::uint32_t file, BrokenLines& broken, const StatementSink& sink) {
  return TurtleText(std::move(source), file, broken, sink).read();
}

}  // namespace sotto::data
