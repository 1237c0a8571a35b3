// A source file as the rules see it, and the functions found in it.
// The reader knows just enough C++ for formatted sources: comments, literals, braces.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sotto::style {

struct Source {
  std::string path;  // from the root of the repository, with /
  std::string text;

  [[nodiscard]] bool ends_with(const std::string& tail) const { return path.ends_with(tail); }
  [[nodiscard]] bool is_header() const { return ends_with(".h"); }
  [[nodiscard]] bool is_test() const { return ends_with("_test.cpp"); }
  // A stand-in for tests, which no product code includes.
  [[nodiscard]] bool is_fixture() const { return path.find("/testing/") != std::string::npos; }
  // The folder below src/ it lies in, e.g. "base"; empty elsewhere.
  [[nodiscard]] std::string layer() const;
  // All of its folders below src/, e.g. "model/central"; empty elsewhere.
  [[nodiscard]] std::string folder() const;
};

struct Include {
  std::size_t line = 0;
  bool quoted = false;
  std::string name;
};
[[nodiscard]] std::vector<Include> includes_of(const Source& source);

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

// The text with comments and the insides of literals blanked; every line keeps its number.
[[nodiscard]] std::string code_of(const std::string& text);

struct Function {
  std::size_t first_line = 0;  // of its declaration, from 1
  std::size_t lines = 0;       // up to and with its closing brace
};

// Definitions at namespace and class scope (also TEST bodies); lambdas count as part of what holds them.
[[nodiscard]] std::vector<Function> functions_of(const Source& source);

struct TypeDefinition {
  std::string name;  // qualified: "sotto::kernels::Target"
  std::size_t line = 0;
};

// Classes, structs, unions and enums with a body at namespace scope. What has no linkage outside its file (an
// anonymous namespace) and specialisations are left out.
[[nodiscard]] std::vector<TypeDefinition> types_of(const Source& source);

}  // namespace sotto::style
