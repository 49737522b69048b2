#include <string_view>
#include <utility>

#include "eider/web/languages/library_texts.h"

namespace eider {

namespace {

struct GermanText {
  std::string_view english;
  std::string_view german;
};

/// Errors by their codes: keys with the context "error".
constexpr GermanText kGermanErrors[] = {
    {"missing", "fehlt"},
    {"null", "darf nicht null sein"},
    {"unknown", "ist nicht vorgesehen"},
    {"duplicate", "kommt mehrfach vor"},
    {"hash", "hat denselben Hashwert wie zu viele andere"},
    {"bool", "muss true oder false sein"},
    {"integer", "muss eine ganze Zahl sein"},
    {"number", "muss eine Zahl sein"},
    {"string", "muss ein Text sein"},
    {"object", "muss ein Objekt sein"},
    {"array", "muss eine Liste sein"},
    {"array_of", "muss eine Liste mit {count} Elementen sein"},
    {"value", "muss ein JSON-Wert sein"},
    {"one_of", "muss einer dieser Werte sein: {names}"},
    {"choice", "steht nicht zur Auswahl"},
    {"too_large", "ist zu groß"},
    {"utf8", "muss UTF-8-Text sein"},
    {"escape", "enthält eine ungültige Prozent-Kodierung"},
    {"length", "muss {min} bis {max} {unit} haben"},
    {"length_min", "muss mindestens {min} {unit} haben"},
    {"length_max", "darf höchstens {max} {unit} haben"},
    {"length_exact", "muss genau {max} {unit} haben"},
    {"range", "muss zwischen {min} und {max} liegen"},
    {"range_min", "muss mindestens {min} sein"},
    {"range_max", "darf höchstens {max} sein"},
    {"multiple_of", "muss ein Vielfaches von {factor} sein"},
    {"pattern", "hat ein ungültiges Format"},
    {"email", "muss eine E-Mail-Adresse sein, etwa name@example.org"},
    {"url", "muss eine URL sein"},
    {"unique", "darf keine Wiederholungen enthalten"},
    {"date", "muss ein Datum sein, etwa 2026-11-22"},
    {"time-of-day", "muss eine Uhrzeit sein, etwa 14:30"},
    {"date-time", "muss ein Zeitpunkt mit Zeitzone sein, etwa 2026-11-22T18:05:00Z"},
    {"local-date-time", "muss Datum und Uhrzeit enthalten, etwa 2026-11-22T18:05"},
    {"duration", "muss eine Dauer sein, etwa PT1H30M oder P3D"},
    {"precise-duration", "muss eine Dauer sein, etwa PT1.5S"},
    {"uuid", "muss eine UUID sein"},
    {"decimal", "muss eine Dezimalzahl mit höchstens 18 Ziffern sein, etwa 12.50"},
    {"base64", "muss in Base64 kodiert sein"},
    {"text", "muss ein Text von höchstens 64 KiB sein"},
    {"binary", "muss eine Datei sein"},
    {"cursor", "muss die Position einer früheren Seite sein"},
    {"taken", "ist schon vergeben"},
};

constexpr GermanText kGermanTexts[] = {
    // Units of lengths
    {"character", "Zeichen"},
    {"characters", "Zeichen"},
    {"element", "Element"},
    {"elements", "Elemente"},
    {"byte", "Byte"},
    {"bytes", "Bytes"},
    // Forms
    {"One per line.", "Eines pro Zeile."},
    {"Entries that contain line breaks or no text will be changed when you save.",
     "Einträge ohne Text oder mit Zeilenumbrüchen werden beim Speichern geändert."},
    {"Yes", "Ja"},
    {"No", "Nein"},
    {"None", "Keines"},
    {"Please correct the following:", "Bitte berichtigen Sie:"},
    {"Save", "Speichern"},
    // Titles of error responses
    {"Bad Request", "Ungültige Anfrage"},
    {"Unauthorized", "Nicht angemeldet"},
    {"Forbidden", "Nicht erlaubt"},
    {"Not Found", "Nicht gefunden"},
    {"Method Not Allowed", "Methode nicht erlaubt"},
    {"Conflict", "Konflikt"},
    {"Gone", "Nicht mehr vorhanden"},
    {"Precondition Failed", "Vorbedingung nicht erfüllt"},
    {"Content Too Large", "Inhalt zu groß"},
    {"Unsupported Media Type", "Medientyp nicht unterstützt"},
    {"Unprocessable Content", "Ungültige Eingabe"},
    {"Too Many Requests", "Zu viele Anfragen"},
    {"Internal Server Error", "Interner Fehler"},
    {"Service Unavailable", "Dienst nicht verfügbar"},
    // Details of error responses
    {"The input is not valid.", "Die Eingabe ist nicht gültig."},
    {"No resource at this URL.", "Unter dieser URL gibt es nichts."},
    {"Method not allowed for this path.", "Diese Methode ist hier nicht erlaubt."},
    {"The request body is too large.", "Der Inhalt der Anfrage ist zu groß."},
    {"The request body is not valid.", "Der Inhalt der Anfrage ist nicht gültig."},
    {"The request timed out.", "Die Anfrage hat zu lange gedauert."},
    {"The server failed to process this request.",
     "Der Server konnte die Anfrage nicht bearbeiten."},
    {"The server is overloaded. Try again later.",
     "Der Server ist überlastet. Versuchen Sie es später erneut."},
    {"The server is busy. Try again in a moment.",
     "Der Server ist beschäftigt. Versuchen Sie es gleich noch einmal."},
    {"The service is down for maintenance.", "Der Dienst wird gerade gewartet."},
    {"Too many requests. Try again later.", "Zu viele Anfragen. Versuchen Sie es später erneut."},
    {"Too many requests. Wait for the time given in Retry-After.",
     "Zu viele Anfragen. Warten Sie die Zeit in Retry-After ab."},
    {"Too many attempts. Try again later.", "Zu viele Versuche. Versuchen Sie es später erneut."},
    {"Cross-site request blocked.", "Die Anfrage einer anderen Website wurde abgelehnt."},
    {"The CSRF token is missing or has expired. Reload the page and try again.",
     "Das CSRF-Token fehlt oder ist abgelaufen. Laden Sie die Seite neu."},
    // Logins and accounts
    {"Log in first.", "Melden Sie sich zuerst an."},
    {"Log in, or send an API key.", "Melden Sie sich an, oder senden Sie einen API-Schlüssel."},
    {"Your login is no longer valid. Log in again.",
     "Ihre Anmeldung ist nicht mehr gültig. Melden Sie sich neu an."},
    {"Your login is too old for this action. Log in again.",
     "Ihre Anmeldung ist zu alt für diese Aktion. Melden Sie sich neu an."},
    {"The login has expired. Log in again.",
     "Die Anmeldung ist abgelaufen. Melden Sie sich neu an."},
    {"Sessions are not available at the moment. Try again later.",
     "Anmeldungen sind zurzeit nicht möglich. Versuchen Sie es später erneut."},
    {"The address or the password is wrong.", "Adresse oder Passwort sind falsch."},
    {"The name or the password is wrong.", "Name oder Passwort sind falsch."},
    {"The account no longer exists.", "Dieses Konto gibt es nicht mehr."},
    {"The password was changed in the meantime.", "Das Passwort wurde inzwischen geändert."},
    {"must be an e-mail address, for example name@example.org",
     "muss eine E-Mail-Adresse sein, etwa name@example.org"},
    {"This link was already used or has expired. Request a new link.",
     "Dieser Link wurde schon benutzt oder ist abgelaufen. Fordern Sie einen neuen an."},
    {"This link belongs to another account. Log in to that account, and open the link again.",
     "Dieser Link gehört zu einem anderen Konto. Melden Sie sich dort an, und öffnen Sie ihn "
     "erneut."},
    {"This service has no login links.", "Dieser Dienst hat keine Anmeldung per Link."},
    {"This service has no two-factor authentication.",
     "Dieser Dienst hat keine Zwei-Faktor-Authentisierung."},
    {"Two-factor authentication is off.", "Die Zwei-Faktor-Authentisierung ist ausgeschaltet."},
    {"Two-factor authentication is already on.",
     "Die Zwei-Faktor-Authentisierung ist schon eingeschaltet."},
    {"This setup has expired. Start again.", "Diese Einrichtung ist abgelaufen. Beginnen Sie neu."},
    {"is wrong or was already used", "ist falsch oder wurde schon benutzt"},
    {"is wrong. Enter the code that the app shows now, and check the clock of the device",
     "ist falsch. Geben Sie den Code ein, den die App jetzt zeigt, und prüfen Sie die Uhr des "
     "Geräts"},
    // The page of API keys
    {"API keys", "API-Schlüssel"},
    {"You have no API keys.", "Sie haben keine API-Schlüssel."},
    {"You have the maximum number of API keys. Revoke one first.",
     "Sie haben schon die größte Anzahl von API-Schlüsseln. Widerrufen Sie zuerst einen."},
    {"New key", "Neuer Schlüssel"},
    {"Copy this key now. It is not shown again.",
     "Kopieren Sie diesen Schlüssel jetzt. Er wird nicht noch einmal angezeigt."},
    {"Create key", "Schlüssel erstellen"},
    {"Key", "Schlüssel"},
    {"Name", "Name"},
    {"Scopes", "Rechte"},
    {"Days", "Gültigkeit"},
    {"Valid for", "Gültig für"},
    {"Unlimited", "Unbegrenzt"},
    {"{count} day", "{count} Tag"},
    {"{count} days", "{count} Tage"},
    {"Created", "Erstellt"},
    {"Last used", "Zuletzt benutzt"},
    {"Expires", "Läuft ab"},
    {"Action", "Aktion"},
    {"Never", "Nie"},
    {"expired", "abgelaufen"},
    {"Revoke", "Widerrufen"},
    {"Revoke {name}", "{name} widerrufen"},
    {"must have 1 to 100 characters, without control characters",
     "muss 1 bis 100 Zeichen haben, ohne Steuerzeichen"},
    {"must be positive and at most the maximum lifetime",
     "muss positiv sein und darf die größte Gültigkeit nicht überschreiten"},
};

/// Emails of accounts.
constexpr GermanText kGermanMails[] = {
    {"This link is valid for {within}. If you did not request it, ignore this message.",
     "Der Link gilt {within} lang. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese "
     "Nachricht."},
    {"Confirm your address", "Bestätigen Sie Ihre Adresse"},
    {"Someone, probably you, requested an account with this address.",
     "Jemand, vermutlich Sie, möchte ein Konto mit dieser Adresse."},
    {"Open this page and choose your password:",
     "Öffnen Sie diese Seite, und wählen Sie ein Passwort:"},
    {"You already have an account", "Sie haben schon ein Konto"},
    {"Someone, probably you, requested an account with this address, which already has\none. Log "
     "in, or request a new password if you have forgotten yours.",
     "Jemand, vermutlich Sie, möchte ein Konto mit dieser Adresse, die schon eines hat.\nMelden "
     "Sie sich an, oder fordern Sie ein neues Passwort an, falls Sie Ihres vergessen haben."},
    {"Choose a new password", "Wählen Sie ein neues Passwort"},
    {"Someone, probably you, requested a new password.",
     "Jemand, vermutlich Sie, möchte ein neues Passwort."},
    {"Open this page and choose a new password:",
     "Öffnen Sie diese Seite, und wählen Sie ein neues Passwort:"},
    {"Your password was changed", "Ihr Passwort wurde geändert"},
    {"The password of your account was changed, and all devices were logged out.\nIf you did not "
     "do "
     "this, request a new password immediately.",
     "Das Passwort Ihres Kontos wurde geändert, und alle Geräte wurden abgemeldet.\nWenn Sie das "
     "nicht waren, fordern Sie sofort ein neues Passwort an."},
    {"Confirm your new address", "Bestätigen Sie Ihre neue Adresse"},
    {"Someone, probably you, wants to use this address for an account.",
     "Jemand, vermutlich Sie, möchte diese Adresse für ein Konto benutzen."},
    {"Log in to that account, open this page, and press its button:",
     "Melden Sie sich mit diesem Konto an, öffnen Sie diese Seite, und bestätigen Sie dort:"},
    {"Your address was changed", "Ihre Adresse wurde geändert"},
    {"The address of your account was changed. New mails are sent to the new address.\nIf you did "
     "not do this, contact the operators of the service immediately.",
     "Die Adresse Ihres Kontos wurde geändert. Neue E-Mails gehen an die neue Adresse.\nWenn Sie "
     "das nicht waren, wenden Sie sich sofort an die Betreiber."},
    {"A passkey was added", "Ein Passkey wurde hinzugefügt"},
    {"Someone, probably you, added a passkey to your account and can now log in with it.\nIf you "
     "did not do this, remove the passkey and choose a new password.",
     "Jemand, vermutlich Sie, hat Ihrem Konto einen Passkey hinzugefügt und kann sich damit "
     "anmelden.\nWenn Sie das nicht waren, entfernen Sie den Passkey, und wählen Sie ein neues "
     "Passwort."},
    {"A login with another service was added",
     "Eine Anmeldung über einen anderen Dienst wurde hinzugefügt"},
    {"Someone, probably you, logged in to your account through another service, which\nconfirmed "
     "this address. Logins through that service are now possible. If you did\nnot do this, contact "
     "the operators of this service immediately.",
     "Jemand, vermutlich Sie, hat sich über einen anderen Dienst angemeldet, der diese\nAdresse "
     "bestätigt hat. Anmeldungen über ihn sind jetzt möglich. Wenn Sie das nicht\nwaren, wenden "
     "Sie sich sofort an die Betreiber."},
    {"Log in", "Anmelden"},
    {"Someone, probably you, wants to log in with this address.",
     "Jemand, vermutlich Sie, möchte sich mit dieser Adresse anmelden."},
    {"Open this page and press its button:", "Öffnen Sie diese Seite, und bestätigen Sie dort:"},
    {"Two-factor authentication was turned on",
     "Die Zwei-Faktor-Authentisierung wurde eingeschaltet"},
    {"From now on, logins to your account need a code of an authenticator app.\nIf you did not do "
     "this, contact the operators of the service immediately.",
     "Anmeldungen brauchen ab jetzt einen Code einer Authenticator-App.\nWenn Sie das nicht waren, "
     "wenden Sie sich sofort an die Betreiber."},
    {"Two-factor authentication was turned off",
     "Die Zwei-Faktor-Authentisierung wurde ausgeschaltet"},
    {"Logins to your account no longer need a code.\nIf you did not do this, choose a new password "
     "and turn it on again.",
     "Anmeldungen brauchen keinen Code mehr.\nWenn Sie das nicht waren, wählen Sie ein neues "
     "Passwort, und schalten Sie sie wieder ein."},
    {"A recovery code was used", "Ein Wiederherstellungscode wurde benutzt"},
    {"A recovery code was used to log in to your account. It is not valid any more.\nIf you did "
     "not "
     "do this, choose a new password immediately.",
     "Jemand hat sich mit einem Wiederherstellungscode angemeldet. Er gilt nicht mehr.\nWenn Sie "
     "das nicht waren, wählen Sie sofort ein neues Passwort."},
    {"Your recovery codes were replaced", "Ihre Wiederherstellungscodes wurden ersetzt"},
    {"Someone, probably you, created new recovery codes for your account. The previous codes "
     "are\nnot valid any more. If you did not do this, choose a new password, and create "
     "new\ncodes "
     "immediately.",
     "Jemand, vermutlich Sie, hat neue Wiederherstellungscodes erstellt. Die früheren\ngelten "
     "nicht "
     "mehr. Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort,\nund erstellen Sie "
     "neue "
     "Codes."},
    {"An API key was created", "Ein API-Schlüssel wurde erstellt"},
    {"Someone, probably you, created an API key. Programs can use your account with it.\nIf you "
     "did "
     "not do this, revoke the key and choose a new password immediately.",
     "Jemand, vermutlich Sie, hat einen API-Schlüssel erstellt. Programme können damit Ihr Konto "
     "benutzen.\nWenn Sie das nicht waren, widerrufen Sie ihn sofort, und wählen Sie ein neues "
     "Passwort."},
};

}  // namespace

Language german() {
  Language german{"de", {}};
  for (const auto& [code, text] : kGermanErrors) {
    german.texts.emplace("error\x04" + std::string(code), text);
  }
  for (const auto& [english, text] : kGermanTexts) {
    german.texts.emplace(english, text);
  }
  for (const auto& [english, text] : kGermanMails) {
    german.texts.emplace(english, text);
  }
  return german;
}

}  // namespace eider
