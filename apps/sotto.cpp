#include "cli/command.h"

int main(int count, char** words) { return sotto::cli::run_sotto(count, words); }
