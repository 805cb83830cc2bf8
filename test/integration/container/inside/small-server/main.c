/*
 * An MCP server that needs no library: it answers `initialize`, and says how its environment
 * looks on standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static char line[65536];
  const char *token = getenv("TOKEN");
  fprintf(stderr, "TOKEN is %s, backwards ", token == NULL ? "not set" : token);
  for (size_t left = token == NULL ? 0 : strlen(token); left > 0; left--) {
    fputc(token[left - 1], stderr);
  }
  fputc('\n', stderr);
  while (fgets(line, sizeof line, stdin) != NULL) {
    const char *id = strstr(line, "\"id\":");
    if (id != NULL && strstr(line, "\"initialize\"") != NULL) {
      printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
             "\"serverInfo\":{\"name\":\"small\",\"version\":\"1\"}}}\n",
             atoi(id + 5));
      fflush(stdout);
    }
  }
  return 0;
}
