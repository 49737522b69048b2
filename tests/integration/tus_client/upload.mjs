// Uploads a file with tus-js-client and prints what happened as one line of JSON.
//   node upload.mjs URL FILE CHUNK_BYTES [STOP_AFTER_BYTES] [RESUME_URL]
import { createReadStream, statSync } from 'node:fs';
import { Upload } from 'tus-js-client';

const [url, path, chunk, stopAfter, resume] = process.argv.slice(2);
const seen = { retries: 0 };

const upload = new Upload(createReadStream(path), {
  endpoint: url,
  uploadUrl: resume || undefined,
  uploadSize: statSync(path).size,
  chunkSize: Number(chunk),
  retryDelays: Array(60).fill(100),
  metadata: { filename: 'grüße.bin', filetype: 'application/x-test' },
  onShouldRetry: () => { seen.retries += 1; return true; },
  onError: (error) => { console.log(JSON.stringify({ ...seen, error: String(error) })); process.exit(1); },
  onChunkComplete: (size, accepted) => {
    console.error(`accepted ${accepted}`);
    if (Number(stopAfter) && accepted >= Number(stopAfter)) {
      upload.abort();
      console.log(JSON.stringify({ ...seen, url: upload.url, accepted }));
      process.exit(0);
    }
  },
  onSuccess: () => { console.log(JSON.stringify({ ...seen, url: upload.url })); },
});
if (resume === 'terminate') {
  await Upload.terminate(url);
  console.log('{}');
} else {
  upload.start();
}
