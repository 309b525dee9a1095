// The program of a target that only precompiles headers.

int main() { return 0; }
