// The page's own texts, and the server's words for states, in the host's language. The server's sentences stay English.

const LANGUAGES = ["en", "de", "fr", "es", "it", "nl"];

/** A row for each label, with a column for each language. `{}` stands for a number or a name. */
const LABELS = {
  house: ["House", "Haus", "Maison", "Casa", "Casa", "Huis"],
  filter: ["Filter by name, room, kind or state", "Nach Name, Raum, Art oder Zustand filtern", "Filtrer par nom, pièce, type ou état", "Filtrar por nombre, habitación, tipo o estado", "Filtra per nome, stanza, tipo o stato", "Filter op naam, kamer, soort of toestand"],
  rooms: ["Rooms", "Räume", "Pièces", "Habitaciones", "Stanze", "Kamers"],
  noRoom: ["Without a room", "Ohne Raum", "Sans pièce", "Sin habitación", "Senza stanza", "Zonder kamer"],
  problems: ["Problems", "Probleme", "Problèmes", "Problemas", "Problemi", "Problemen"],
  now: ["Now", "Jetzt", "Maintenant", "Ahora", "Adesso", "Nu"],
  lightsOn: ["Lights on", "Licht an", "Lumières allumées", "Luces encendidas", "Luci accese", "Lampen aan"],
  noLight: ["No light is on", "Kein Licht ist an", "Aucune lumière allumée", "Ninguna luz encendida", "Nessuna luce accesa", "Er is geen lamp aan"],
  ajar: ["Open or unlocked", "Offen oder aufgeschlossen", "Ouvert ou déverrouillé", "Abierto o sin cerrojo", "Aperto o sbloccato", "Open of van het slot"],
  shut: ["No door is open or unlocked", "Keine Tür ist offen oder aufgeschlossen", "Aucune porte ouverte ou déverrouillée", "Ninguna puerta abierta o sin cerrojo", "Nessuna porta aperta o sbloccata", "Er is geen deur open of van het slot"],
  wrong: ["Needs attention", "Braucht Aufmerksamkeit", "À vérifier", "Requiere atención", "Da controllare", "Vraagt aandacht"],
  fine: ["Every device is well", "Alle Geräte sind in Ordnung", "Tous les appareils vont bien", "Todos los dispositivos están bien", "Tutti i dispositivi sono a posto", "Alle apparaten zijn in orde"],
  more: ["{} more", "{} weitere", "{} de plus", "{} más", "altri {}", "nog {}"],
  device: ["{} device", "{} Gerät", "{} appareil", "{} dispositivo", "{} dispositivo", "{} apparaat"],
  devices: ["{} devices", "{} Geräte", "{} appareils", "{} dispositivos", "{} dispositivi", "{} apparaten"],
  notResponding: ["{} not responding", "{} ohne Antwort", "{} sans réponse", "{} sin respuesta", "{} senza risposta", "{} zonder antwoord"],
  notShown: ["{} not shown", "{} nicht gezeigt", "{} non affichés", "{} sin mostrar", "{} non mostrati", "{} niet getoond"],
  isOn: ["{} on", "{} an", "{} en marche", "{} en marcha", "{} in funzione", "{} aan"],
  readAt: ["read at {}", "gelesen um {}", "lu à {}", "leído a las {}", "letto alle {}", "gelezen om {}"],
  valuesFrom: ["values from {}", "Werte von {}", "valeurs d’{}", "valores de {}", "valori di {}", "waarden van {}"],
  lastHeard: ["last heard from {}", "zuletzt gehört: {}", "dernier signe de vie : {}", "última señal: {}", "ultimo segnale: {}", "laatst gehoord: {}"],
  justNow: ["just now", "gerade eben", "à l’instant", "ahora mismo", "proprio ora", "zojuist"],
  dead: ["not responding", "antwortet nicht", "ne répond pas", "no responde", "non risponde", "reageert niet"],
  asleep: ["asleep", "schläft", "en veille", "dormido", "in riposo", "slaapt"],
  doubtful: ["not confirmed", "nicht bestätigt", "non confirmé", "sin confirmar", "non confermato", "niet bevestigd"],
  lastKnown: ["last known", "zuletzt bekannt", "dernier état connu", "último conocido", "ultimo noto", "laatst bekend"],
  battery: ["battery {}", "Batterie {}", "pile {}", "batería {}", "batteria {}", "batterij {}"],
  low: ["battery {}, low", "Batterie {}, schwach", "pile {}, faible", "batería {}, baja", "batteria {}, scarica", "batterij {}, bijna leeg"],
  asks: ["You are asked before it opens.", "Vor dem Öffnen wird gefragt.", "Une confirmation est demandée avant l’ouverture.", "Se pregunta antes de abrir.", "Prima di aprire viene chiesta conferma.", "Voor het openen wordt het gevraagd."],
  asksUnlock: ["You are asked before it is unlocked.", "Vor dem Aufschließen wird gefragt.", "Une confirmation est demandée avant le déverrouillage.", "Se pregunta antes de desbloquear.", "Prima di sbloccare viene chiesta conferma.", "Voor het ontgrendelen wordt het gevraagd."],
  refused: ["Opening is not allowed here; the owner of this server can allow it.", "Öffnen ist hier nicht erlaubt; wer diesen Server betreibt, kann es erlauben.", "L’ouverture n’est pas permise ici ; le propriétaire de ce serveur peut la permettre.", "Aquí no se permite abrir; el dueño de este servidor puede permitirlo.", "Qui non è permesso aprire; il proprietario di questo server può permetterlo.", "Openen is hier niet toegestaan; de eigenaar van deze server kan het toestaan."],
  refusedUnlock: ["Unlocking is not allowed here; the owner of this server can allow it.", "Aufschließen ist hier nicht erlaubt; wer diesen Server betreibt, kann es erlauben.", "Le déverrouillage n’est pas permis ici ; le propriétaire de ce serveur peut le permettre.", "Aquí no se permite desbloquear; el dueño de este servidor puede permitirlo.", "Qui non è permesso sbloccare; il proprietario di questo server può permetterlo.", "Ontgrendelen is hier niet toegestaan; de eigenaar van deze server kan het toestaan."],
  nothing: ["There is no device to show.", "Es gibt kein Gerät.", "Il n’y a aucun appareil.", "No hay ningún dispositivo.", "Non c’è nessun dispositivo.", "Er is geen apparaat."],
  noMatch: ["No device matches “{}”.", "Kein Gerät passt zu „{}“.", "Aucun appareil ne correspond à « {} ».", "Ningún dispositivo coincide con «{}».", "Nessun dispositivo corrisponde a «{}».", "Geen apparaat past bij ‘{}’."],
  nearest: ["The nearest names: {}.", "Die nächsten Namen: {}.", "Les noms les plus proches : {}.", "Los nombres más parecidos: {}.", "I nomi più vicini: {}.", "De dichtstbijzijnde namen: {}."],
  roomOff: ["Room off", "Raum aus", "Tout éteindre", "Apagar todo", "Spegni tutto", "Kamer uit"],
  on: ["On", "An", "Allumer", "Encender", "Accendi", "Aan"],
  off: ["Off", "Aus", "Éteindre", "Apagar", "Spegni", "Uit"],
  open: ["Open", "Öffnen", "Ouvrir", "Abrir", "Apri", "Open"],
  close: ["Close", "Schließen", "Fermer", "Cerrar", "Chiudi", "Sluit"],
  stop: ["Stop", "Stopp", "Arrêter", "Parar", "Ferma", "Stop"],
  lock: ["Lock", "Abschließen", "Verrouiller", "Echar el cerrojo", "Blocca", "Op slot"],
  unlock: ["Unlock", "Aufschließen", "Déverrouiller", "Quitar el cerrojo", "Sblocca", "Van slot"],
  run: ["Run", "Ausführen", "Lancer", "Ejecutar", "Avvia", "Start"],
  level: ["Brightness", "Helligkeit", "Luminosité", "Brillo", "Luminosità", "Helderheid"],
  speed: ["Speed", "Stufe", "Vitesse", "Velocidad", "Velocità", "Snelheid"],
  place: ["Position", "Position", "Position", "Posición", "Posizione", "Positie"],
  color: ["Color", "Farbe", "Couleur", "Color", "Colore", "Kleur"],
  mode: ["Mode", "Modus", "Mode", "Modo", "Modalità", "Modus"],
  warmth: ["Temperature", "Temperatur", "Température", "Temperatura", "Temperatura", "Temperatuur"],
  colder: ["Colder", "Kälter", "Plus froid", "Más frío", "Più freddo", "Kouder"],
  warmer: ["Warmer", "Wärmer", "Plus chaud", "Más calor", "Più caldo", "Warmer"],
  since: ["since {}", "seit {}", "depuis {}", "desde las {}", "dalle {}", "sinds {}"],
  pending: ["on its way", "unterwegs", "en cours", "en camino", "in corso", "onderweg"],
  askedFirst: ["you are asked first", "vorher wird gefragt", "une confirmation est demandée", "primero se pregunta", "prima viene chiesta conferma", "eerst wordt het gevraagd"],
  range: ["Not set. The range is {}.", "Nicht gesetzt. Möglich ist {}.", "Non réglé. Plage possible : {}.", "No ajustado. Rango posible: {}.", "Non impostato. Intervallo possibile: {}.", "Niet ingesteld. Mogelijk is {}."],
  moving: ["moving:", "in Bewegung:", "en mouvement :", "en movimiento:", "in movimento:", "beweegt:"],
  accepted: ["not confirmed:", "nicht bestätigt:", "non confirmé :", "sin confirmar:", "non confermato:", "niet bevestigd:"],
  queued: ["waits until it wakes up:", "wartet, bis es aufwacht:", "attend son réveil :", "espera a que despierte:", "attende il risveglio:", "wacht tot het wakker wordt:"],
  noHost: ["Inside a program that speaks MCP Apps, this page shows a house.", "Diese Seite zeigt ein Haus in einem Programm, das MCP Apps spricht.", "Cette page montre une maison dans un programme qui parle MCP Apps.", "Esta página muestra una casa en un programa que habla MCP Apps.", "Questa pagina mostra una casa in un programma che parla MCP Apps.", "Deze pagina toont een huis in een programma dat MCP Apps spreekt."],
};

/**
 * A row for each state, reading and mode that the page has words for. The first column has the server's own words.
 * `{}` stands for a number, with its unit if it has one.
 */
const STATES = [
  ["{}", "{}", "{}", "{}", "{}", "{}"],
  ["on", "an", "allumé", "encendido", "acceso", "aan"],
  ["off", "aus", "éteint", "apagado", "spento", "uit"],
  ["on {}", "an, {}", "allumé, {}", "encendido, {}", "acceso, {}", "aan, {}"],
  ["open", "offen", "ouvert", "abierto", "aperto", "open"],
  ["closed", "geschlossen", "fermé", "cerrado", "chiuso", "dicht"],
  ["{} open", "{} offen", "ouvert à {}", "abierto al {}", "aperto al {}", "{} open"],
  ["opening", "öffnet sich", "s’ouvre", "abriéndose", "si apre", "gaat open"],
  ["closing", "schließt sich", "se ferme", "cerrándose", "si chiude", "gaat dicht"],
  ["stopped half-way", "auf halbem Weg angehalten", "arrêté à mi-course", "detenido a medio camino", "fermo a metà", "halverwege gestopt"],
  ["slats open", "Lamellen offen", "lames ouvertes", "lamas abiertas", "lamelle aperte", "lamellen open"],
  ["slats closed", "Lamellen geschlossen", "lames fermées", "lamas cerradas", "lamelle chiuse", "lamellen dicht"],
  ["slats {} open", "Lamellen {} offen", "lames ouvertes à {}", "lamas abiertas al {}", "lamelle aperte al {}", "lamellen {} open"],
  ["locked", "abgeschlossen", "verrouillé", "con el cerrojo echado", "bloccato", "op slot"],
  ["unlocked", "aufgeschlossen", "déverrouillé", "sin cerrojo", "sbloccato", "van slot"],
  ["tilted", "gekippt", "en oscillo", "abatido", "a ribalta", "op kiepstand"],
  ["door open", "Tür offen", "porte ouverte", "puerta abierta", "porta aperta", "deur open"],
  ["door closed", "Tür geschlossen", "porte fermée", "puerta cerrada", "porta chiusa", "deur dicht"],
  ["state unknown", "Zustand unbekannt", "état inconnu", "estado desconocido", "stato sconosciuto", "toestand onbekend"],
  ["position unknown", "Position unbekannt", "position inconnue", "posición desconocida", "posizione sconosciuta", "positie onbekend"],
  ["set to {}", "eingestellt auf {}", "réglé sur {}", "ajustado a {}", "impostato su {}", "ingesteld op {}"],
  ["set to {} to {}", "eingestellt auf {} bis {}", "réglé de {} à {}", "ajustado de {} a {}", "impostato da {} a {}", "ingesteld op {} tot {}"],
  ["heat", "heizen", "chauffage", "calentar", "riscalda", "verwarmen"],
  ["cool", "kühlen", "refroidissement", "enfriar", "raffresca", "koelen"],
  ["auto", "automatisch", "automatique", "automático", "automatico", "automatisch"],
  ["heating", "heizt", "chauffe", "calentando", "riscalda", "verwarmt"],
  ["cooling", "kühlt", "refroidit", "enfriando", "raffresca", "koelt"],
  ["idle", "in Ruhe", "au repos", "en reposo", "a riposo", "in rust"],
  ["motion detected", "Bewegung", "mouvement", "movimiento", "movimento", "beweging"],
  ["no motion", "keine Bewegung", "aucun mouvement", "sin movimiento", "nessun movimento", "geen beweging"],
  ["leak detected", "Wasser ausgetreten", "fuite d’eau", "fuga de agua", "perdita d’acqua", "lekkage"],
  ["no leak", "kein Wasser ausgetreten", "aucune fuite", "sin fugas", "nessuna perdita", "geen lekkage"],
  ["smoke detected", "Rauch", "fumée", "humo", "fumo", "rook"],
  ["no smoke", "kein Rauch", "pas de fumée", "sin humo", "niente fumo", "geen rook"],
  ["triggered", "ausgelöst", "déclenché", "activado", "attivato", "geactiveerd"],
  ["not triggered", "nicht ausgelöst", "non déclenché", "sin activar", "non attivato", "niet geactiveerd"],
  ["warm white", "warmweiß", "blanc chaud", "blanco cálido", "bianco caldo", "warm wit"],
  ["cold white", "kaltweiß", "blanc froid", "blanco frío", "bianco freddo", "koel wit"],
  ["humidity {}", "Luftfeuchte {}", "humidité {}", "humedad {}", "umidità {}", "luchtvochtigheid {}"],
  ["scene", "Szene", "scène", "escena", "scena", "scène"],
  ["remote", "Fernbedienung", "télécommande", "mando", "telecomando", "afstandsbediening"],
];

/** Makes the pattern of a state from the server's words for it. */
const patternOf = (words) => new RegExp(`^${words.replaceAll("{}", "(-?[\\d.]+(?: \\S+)?)")}$`);

/** The rows of the states, each with the pattern of its first column. */
const STATE_PATTERNS = STATES.map((row) => [patternOf(row[0]), row]);

let column = 0;

/** Uses the language of a locale, or English if the page has no texts in it. */
function useLanguage(locale) {
  column = Math.max(0, LANGUAGES.indexOf(String(locale ?? "").toLowerCase().split(/[-_]/)[0]));
  root.lang = LANGUAGES[column];
}

/** Returns a label in the host's language, with `value` for its `{}`. */
function label(name, value = "") {
  return LABELS[name][column].replace("{}", () => value);
}

/** Returns a state of the server in the page's language, or undefined if the page has no words for it. */
function translateState(text) {
  const [, state, time] = /^(.*?)(?: since (\d\d:\d\d))?$/s.exec(text);
  for (const [pattern, row] of STATE_PATTERNS) {
    const values = pattern.exec(state)?.slice(1);
    if (!values) continue;
    const words = row[column].replaceAll("{}", () => values.shift().replace(".", decimalPoint()));
    return time ? `${words} ${label("since", time)}` : words;
  }
  return undefined;
}

/** Returns states in the page's language, or in English if the page lacks words for one of them, and their language. */
function translateStates(texts) {
  const translated = column === 0 ? texts : texts.map(translateState);
  return translated.includes(undefined) ? { lang: "en", texts } : { lang: root.lang, texts: translated };
}

/** Writes the labels of the elements that are always on the page. */
function writeLabels() {
  for (const node of document.querySelectorAll("[data-label]")) write(node, label(node.dataset.label));
  byId("filter").placeholder = label("filter");
  byId("problems").setAttribute("aria-label", label("problems"));
  byId("jump").setAttribute("aria-label", label("rooms"));
}
