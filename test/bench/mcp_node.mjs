// The measure for our MCP servers: one tool, `echo`, on a server built on the official SDK, over stdio.
import { Server } from "../e2e/node_modules/@modelcontextprotocol/sdk/dist/esm/server/index.js";
import { StdioServerTransport } from "../e2e/node_modules/@modelcontextprotocol/sdk/dist/esm/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "../e2e/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js";

const server = new Server({ name: "echo", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: "text", text: params.arguments.message }] }));
await server.connect(new StdioServerTransport());
