#include "cli/command.h"

int main(int count, char** words) { return sotto::run_sotto(count, words); }
