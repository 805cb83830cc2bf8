// MCP servers of the Go SDK, one for each connection to the socket that is named first. They take a call of any tool and
// write its name to standard output as one line of JSON, so that a test sees what ran.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func report(what string, value any) {
	text, err := json.Marshal(map[string]any{what: value})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}

// Any name is taken: a server of the wild may look its tools up leniently.
func takeAnyName(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if call, ok := request.GetParams().(*mcp.CallToolParamsRaw); ok && method == "tools/call" {
			report("executed", call.Name)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
		}
		return next(ctx, method, request)
	}
}

func serve(connection net.Conn) {
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	for _, name := range []string{"danger", "safe"} {
		tool := &mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}
		server.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	server.AddReceivingMiddleware(takeAnyName)
	if err := server.Run(context.Background(), &mcp.IOTransport{Reader: connection, Writer: connection}); err != nil {
		fmt.Fprintln(os.Stderr, "closed:", err)
	}
	connection.Close()
}

func endWithTheTest() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func main() {
	go endWithTheTest()
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	report("ready", true)
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go serve(connection)
	}
}
