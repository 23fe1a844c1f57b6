// `npm run types -- http://127.0.0.1:8080 [FILE]`: writes the types of the API (src/api/schema.d.ts) from a running server's own document.
import { execFileSync } from 'node:child_process';

const [server = 'http://127.0.0.1:8080', file = 'src/api/schema.d.ts'] = process.argv.slice(2);
execFileSync('npx', ['openapi-typescript', `${server}/api/v1/openapi.json`, '--output', file], { stdio: 'inherit' });
