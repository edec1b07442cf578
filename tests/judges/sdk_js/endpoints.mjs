// What the client knows: each endpoint's name, which is also its type's, with its method and path.
import * as endpoints from "@notionhq/client/build/src/api-endpoints.js";

const named = new Proxy({}, { get: (_, name) => `{${String(name)}}` });
const known = Object.entries(endpoints)
  .filter(([, { method, path }]) => method && path)
  .map(([name, { method, path }]) => [name, method.toUpperCase(), `/${path(named)}`]);
process.stdout.write(JSON.stringify(known));
