// A provider on loopback for one client. Must not be reached from elsewhere: anybody logs in as
// whomever he names, with any password.
//   node provider.mjs PORT ORIGIN [CALLBACK]
// Who is called un… has an address that nobody has verified.
import { Provider } from 'oidc-provider';

const [port, origin, callback = '/login/callback'] = process.argv.slice(2);

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: 'notes',
    client_secret: 'a secret: & more',
    redirect_uris: [origin + callback],
    post_logout_redirect_uris: [`${origin}/`],
    application_type: 'native', // which may be http:// on this machine
  }],
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
  cookies: { keys: ['of this test alone'] },
  features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  findAccount: async (_, id) => ({
    accountId: id,
    claims: async () => ({
      sub: id,
      name: `<b>${id}</b>`,
      email: `${id}@example.org`,
      email_verified: !id.startsWith('un'),
    }),
  }),
  pkce: { required: () => true },
});
provider.on('server_error', (_, error) => console.error(error));
provider.listen(Number(port), '127.0.0.1');
