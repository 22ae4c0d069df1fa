// Runs a broker with the library aedes, as the library's first example does.
//
// aedes.mjs PORT [SECURE FOLDER USER PASSWORD]: with the optional arguments, the broker lets in only that user,
// and also speaks TLS at the port SECURE, with the certificate in FOLDER.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { Aedes } from 'aedes';

const [port, secure, folder, user, password] = process.argv.slice(2);
const broker = await Aedes.createBroker();
createServer(broker.handle).listen(Number(port), '127.0.0.1');
if (secure) {
  broker.authenticate = (_client, name, word, done) => {
    if (name === user && word?.toString() === password) return done(null, true);
    // Bad user name or password (MQTT 3.1.1, section 3.2.2.3).
    return done(Object.assign(new Error('refused'), { returnCode: 4 }), false);
  };
  const cert = readFileSync(`${folder}/broker.pem`);
  const key = readFileSync(`${folder}/broker.key`);
  createSecureServer({ cert, key }, broker.handle).listen(Number(secure), '127.0.0.1');
}
